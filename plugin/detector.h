#pragma once

// The detector's former place, for includers that haven't moved yet.
#include "plugin/judge/detector.h"
