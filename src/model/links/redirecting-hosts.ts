/**
 * Addresses that redirect to another one that they contain: one row each, as of 2026-07. A row has a host (with its
 * subdomains), a path, and where the other address is. A path that ends in `*` is a beginning. `link-redirects.ts` reads it.
 *
 * Where it is, one of:
 *
 *     names of query parameters     the first one that has an address
 *     (query)                       everything after the question mark
 *     (path)                        the rest of the path, or its next segment if that is escaped
 *     (star)                        what follows the last `*` in the path
 *     (yahoo)                       the segment `RU=…`
 *     (underscores)                 between `___` and `___`
 *     (bing)                        parameter `u`: `a1`, and base64
 *     (google-news)                 base64 of a binary message; newer ones have a key instead, and stay as they are
 *     (substack)                    base64 of JSON
 *     (proofpoint-2)                parameter `u`, with `-` for `%` and `_` for `/`
 *     (proofpoint-3)                between `__` and `__;`, with `*` for characters that follow
 *
 * Only what redirects has a row: no dialogs for sharing, translations, or copies in archives.
 */
export const REDIRECTING_HOSTS = `
google.*                            /url                          url q
google.*                            /news/url                     url
google.*                            /imgres                       imgrefurl
google.*                            /aclk                         adurl
news.google.com                     *                             url
news.google.com                     /rss/articles/*               (google-news)
news.google.com                     /articles/*                   (google-news)
news.google.com                     /read/*                       (google-news)
consent.google.*                    *                             continue
consent.youtube.com                 *                             continue
googleadservices.com                /pagead/aclk                  adurl
doubleclick.net                     *                             adurl
youtube.com                         /redirect                     q
bing.com                            /news/apiclick.aspx           url
bing.com                            /ck/a                         (bing)
search.yahoo.com                    *                             (yahoo)
search.yahoo.co.jp                  *                             (yahoo)
rd.yahoo.com                        *                             (star)
duckduckgo.com                      /l                            uddg
yandex.*                            /clck/jsredir                 url
clck.yandex.*                       /redir/*                      (star)
sba.yandex.net                      /redirect                     url
startpage.com                       /cgi-bin/serveimage           url
l.facebook.com                      *                             u
lm.facebook.com                     *                             u
facebook.com                        /l.php                        u
facebook.com                        /flx/warn                     u
l.messenger.com                     *                             u
l.instagram.com                     *                             u
l.threads.com                       *                             u
l.threads.net                       *                             u
l.workplace.com                     *                             u
l.wl.co                             *                             u
out.reddit.com                      *                             url
click.redditmail.com                /cl0/*                        (path)
t.umblr.com                         /redirect                     z
tumblr.com                          /redirect                     z
linkedin.com                        /redir/redirect               url
linkedin.com                        /safety/go                    url
vk.com                              /away.php                     to
vk.ru                               /away.php                     to
ok.ru                               /dk                           st.link
t.me                                /iv                           url
tiktok.com                          /link/v2                      target
pinterest.*                         /offsite                      url
quora.com                           /_/redirect                   url
disq.us                             /url                          url
medium.com                          /r                            url
medium.com                          /m/global-identity            redirectUrl
medium.com                          /m/global-identity-2          redirectUrl
substack.com                        /redirect/2/*                 (substack)
public-api.wordpress.com            /bar                          redirect_to
getpocket.com                       /redirect                     url
flipboard.com                       /redirect                     url
steamcommunity.com                  /linkfilter                   url u
curseforge.com                      /linkout                      remoteUrl
deviantart.com                      /users/outgoing               (query)
slack-redir.net                     /link                         url
exit.sc                             *                             url
gate.sc                             *                             url
href.li                             *                             (query)
anon.to                             *                             (query)
anonym.to                           *                             (query)
anonymz.com                         *                             (query)
dereferer.me                        *                             (query)
nullrefer.com                       *                             (query)
link.zhihu.com                      *                             target
link.juejin.cn                      *                             target
link.csdn.net                       *                             target
gitee.com                           /link                         target
sspai.com                           /link                         target
jianshu.com                         /go-wild                      url
douban.com                          /link2                        url
weibo.cn                            /sinaurl                      u toasturl
c.pc.qq.com                         *                             pfurl url
safelinks.protection.outlook.com    *                             url
safelinks.protection.office365.us   *                             url
statics.teams.cdn.office.net        /evergreen-assets/safelinks/* url
urldefense.proofpoint.com           /v1/url                       u
urldefense.proofpoint.com           /v2/url                       (proofpoint-2)
urldefense.com                      /v1/url                       u
urldefense.com                      /v2/url                       (proofpoint-2)
urldefense.com                      /v3/*                         (proofpoint-3)
urldefense.us                       /v2/url                       (proofpoint-2)
urldefense.us                       /v3/*                         (proofpoint-3)
linkprotect.cudasvc.com             /url                          a
secure-web.cisco.com                /*                            (path)
clicktime.symantec.com              *                             u
protect2.fireeye.com                *                             u
trendmicro.com                      /wis/clicktime/*              url
url.avanan.click                    /*                            (underscores)
protect.checkpoint.com              /*                            (underscores)
awstrack.me                         /l0/*                         (path)
outgoing.prod.webservices.mozgcp.net /v1/*                        (path)
redirect.viglink.com                *                             u
redirectingat.com                   *                             url
go.skimresources.com                *                             url
awin1.com                           *                             ued p
click.linksynergy.com               *                             murl
adtraction.com                      *                             url
anrdoezrs.net                       *                             url
dpbolvw.net                         *                             url
jdoqocy.com                         *                             url
kqzyfj.com                          *                             url
tkqlhce.com                         *                             url
clk.tradedoubler.com                *                             url
qflm.net                            *                             u
pxf.io                              *                             u
sjv.io                              *                             u
ojrq.net                            *                             return
track.flexlinkspro.com              *                             url
`;
