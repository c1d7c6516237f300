"""crawlsieve's batches on Spark: docs/spark.md. The native program does the work in tasks; Python
carries names and bytes."""
