-- Goes in front of each of the other files. @WORK@ is replaced by a directory.
CREATE CATALOG c WITH ('type' = 'bsdb', 'warehouse' = '@WORK@/warehouse');
USE CATALOG c;
