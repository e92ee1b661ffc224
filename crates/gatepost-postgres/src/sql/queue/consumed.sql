
SELECT place, version FROM moved ORDER BY place
