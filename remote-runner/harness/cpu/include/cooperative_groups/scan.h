// cooperative_groups::inclusive_scan is part of the main header here.
#include "../cooperative_groups.h"
