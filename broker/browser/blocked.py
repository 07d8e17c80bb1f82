"""What pages need not load to be read: sound and film by their names, and who only counts readers.

Pictures and fonts are off at launch. Tag managers are here as well: what they load are counters.
Hosts that pages take their text or their walls from are not, nor is anything that a page waits for
before it shows itself.
"""

from __future__ import annotations

_MEDIA = """
    aac avi eot flac m3u8 m4a m4s m4v mkv mov mp3 mp4 mpd oga ogg ogv opus otf ttf wav weba webm
    wmv woff woff2
"""

_COUNTERS = """
    amplitude.com analytics.google.com browser-intake-datadoghq.com chartbeat.com chartbeat.net
    clarity.ms cloudflareinsights.com cnzz.com crazyegg.com fullstory.com go-mpulse.net
    google-analytics.com googletagmanager.com heapanalytics.com histats.com hm.baidu.com hotjar.com
    hotjar.io logrocket.io luckyorange.com matomo.cloud mc.yandex.ru mixpanel.com mouseflow.com
    newrelic.com nr-data.net omtrdc.net parsely.com piwik.pro plausible.io quantcount.com
    quantserve.com scorecardresearch.com segment.com segment.io smartlook.com statcounter.com

    2o7.net 33across.com 3lift.com adform.net adnxs.com adroll.com adsafeprotected.com
    adservice.google.com adsrvr.org amazon-adsystem.com bidswitch.net bluekai.com casalemedia.com
    criteo.com criteo.net demdex.net doubleclick.net everesttech.net googleadservices.com
    googlesyndication.com googletagservices.com indexww.com krxd.net media.net mgid.com moatads.com
    openx.net outbrain.com pubmatic.com revcontent.com rubiconproject.com sharethrough.com
    smartadserver.com taboola.com teads.tv yieldmo.com

    addthis.com addtoany.com ads-twitter.com analytics.tiktok.com analytics.twitter.com bat.bing.com
    connect.facebook.net ct.pinterest.com px.ads.linkedin.com sc-static.net sharethis.com
    snap.licdn.com tr.snapchat.com
"""
"""Analytics, advertising, and networks' pixels and buttons; each with all hosts below it."""


def _patterns() -> tuple[str, ...]:
    media = (pattern for name in _MEDIA.split() for pattern in (f"*.{name}", f"*.{name}?*"))
    hosts = (p for host in _COUNTERS.split() for p in (f"*://{host}/*", f"*://*.{host}/*"))
    return (*media, *hosts)


PATTERNS = _patterns()
"""As `TabPolicy.blocked` takes them."""
