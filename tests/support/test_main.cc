#define BOOST_TEST_MODULE plainfs
#include <boost/test/unit_test.hpp>
