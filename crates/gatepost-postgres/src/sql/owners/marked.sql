
SELECT j.verdict, ARRAY(SELECT owner FROM stored) AS owners FROM judged j
