#pragma once

// The marks' former place, for includers that haven't moved yet.
#include "plugin/judge/mark.h"
