#pragma once

// The state hash's former place, for includers that haven't moved yet.
#include "plugin/judge/state_hash.h"
