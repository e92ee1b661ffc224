
SELECT j.verdict, s.* FROM judged j LEFT JOIN stored s ON true
