# What CPack makes of the folder that tools/package has filled, and names in the environment. Nothing is compiled for it.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME quarry)
set(CPACK_PACKAGE_VERSION "$ENV{QUARRY_VERSION}")
set(CPACK_INSTALLED_DIRECTORIES "$ENV{QUARRY_STAGE};/")
set(CPACK_PACKAGE_FILE_NAME quarry_$ENV{QUARRY_VERSION}_amd64)
set(CPACK_PACKAGE_DIRECTORY "$ENV{QUARRY_TARGET}")
set(CPACK_PACKAGING_INSTALL_PREFIX /)
set(CPACK_SET_DESTDIR OFF)
set(CPACK_STRIP_FILES OFF)  # done already, and kept from others
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "crawler and search index in one program")
set(CPACK_PACKAGE_DESCRIPTION
"Digs websites and folders into a search index you own: it crawls, reads
pages into clean markdown, cuts and embeds them, and answers questions, on a
queue that loses nothing. No services are needed.
.
It also serves Firecrawl's v2 API, as quarry.service if that is enabled.")
set(CPACK_DEBIAN_PACKAGE_MAINTAINER "$ENV{QUARRY_MAINTAINER}")
set(CPACK_DEBIAN_PACKAGE_ARCHITECTURE amd64)
set(CPACK_DEBIAN_PACKAGE_SECTION web)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
# The libraries that the program is linked with, as it was.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_DEPENDS passwd)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "chromium-headless-shell | chromium, ca-certificates, poppler-data")
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA
    "$ENV{QUARRY_CONTROL}/conffiles;$ENV{QUARRY_CONTROL}/postinst;$ENV{QUARRY_CONTROL}/prerm;$ENV{QUARRY_CONTROL}/postrm")
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
