// cooperative_groups::reduce is part of the main header here.
#include "../cooperative_groups.h"
