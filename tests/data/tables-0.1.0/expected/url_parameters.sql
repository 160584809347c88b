SELECT date, host, path_shape, parameter, verdict, since, same, differs FROM url_parameters WHERE date <= '2011-11-01' ORDER BY host, path_shape, parameter, date
