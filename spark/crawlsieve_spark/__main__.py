"""python -m crawlsieve_spark"""

import sys

from crawlsieve_spark.command_line import main

if __name__ == "__main__":
    sys.exit(main())
