"""The native module: that of the job if it is installed, which has all of it, or that of this wheel."""

try:
    from urltree_job._extension import *
except ModuleNotFoundError:
    from ._extension import *
