/**
 * Query parameters that say how a reader came to a page, and not which page it is. `link-parameters.ts` reads these
 * tables: global names, then names by site (a host with its subdomains; `google.*` under every country). A site's line may
 * continue on an indented one. Names are in lower case; a name that ends in `*` is a beginning.
 *
 * {@link LISTED_PARAMETERS} and {@link LISTED_BY_SITE} are the parameter rules of tidy-url 1.18.3 of 2026-04-06
 * (https://github.com/DrKain/tidy-url, `data/rules.js`), without names that select what a page shows on some sites (`id`,
 * `p`, `v`, `q`, `tag`, `mbid` and the like), and hosts that only redirect. They are a copy, and not a dependency,
 * because a newer list makes other addresses one link, which is to be decided and not to come with an update. The list's
 * license:
 *
 *     MIT License. Copyright (c) 2021 DrKain (https://github.com/DrKain)
 *
 *     Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated
 *     documentation files (the "Software"), to deal in the Software without restriction, including without limitation the
 *     rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to
 *     permit persons to whom the Software is furnished to do so, subject to the following conditions: The above copyright
 *     notice and this permission notice shall be included in all copies or substantial portions of the Software.
 *
 *     THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE
 *     WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR
 *     COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR
 *     OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.
 *
 * {@link OWN_PARAMETERS} and {@link OWN_BY_SITE} are ours: what feeds, newsletters and share buttons of publishers add.
 */

export const LISTED_PARAMETERS = `
itm_source itm_medium itm_term itm_campaign itm_content itm_channel itm_source_s itm_medium_s itm_campaign_s
itm_audience int_source int_cmp_name int_cmp_id int_cmp_creative int_medium int_campaign int_content pk_campaign
pk_cpn pk_source pk_medium pk_keyword pk_kwd pk_content pk_cid piwik_campaign piwik_cpn piwik_source piwik_medium
piwik_keyword piwik_kwd piwik_content piwik_cid ga_source ga_medium ga_term ga_content ga_campaign ga_place gclsrc
hsa_cam hsa_grp hsa_mt hsa_src hsa_ad hsa_acc hsa_net hsa_kw hsa_tgt hsa_ver hsa_la hsa_ol oly_enc_id oly_anon_id
vero_id vero_conv __s _hsenc _hsmi __hssc __hstc __hsfp hsctatracking mkt_tok mtm_campaign mtm_keyword mtm_kwd
mtm_source mtm_medium mtm_content mtm_cid mtm_group mtm_placement elqtrackid elq elqaid elqat elqcampaignid elqtrack
mc_cid mc_eid ncid cmpid rdt_cid
`;

export const OWN_PARAMETERS = `
utm_*
fbclid gclid gclsrc dclid gbraid wbraid gad_source gad_campaignid msclkid yclid ysclid twclid ttclid li_fat_id epik
igshid igsh srsltid _ga _gl _openstat ref_src ref_url guccounter guce_referrer guce_referrer_sig amp
fb_action_ids fb_action_types fb_source fb_ref action_object_map action_type_map action_ref_map __twitter_impression
at_medium at_campaign at_campaign_type at_campaign_group at_custom1 at_custom2 at_custom3 at_custom4 at_custom5
at_link_id at_link_origin at_link_type at_ptr_name at_format at_bbc_team at_variant at_creation at_emailtype
at_recipient_id at_recipient_list at_send_date at_channel at_general_placement at_detail_placement at_identifier
at_advertiser at_platform at_adgroup at_audience at_network at_objective at_term at_type at_gd
xtor xtref xtcr xtnp maca wt_mc wt_zmc wt.mc_id wt.mc_ev wt.tsrc wt.srch traffic_source cm_mmc s_kwcid ef_id
ns_mchannel ns_source ns_campaign ns_linkname ns_fee intcmp intcid irclickid irgwc cjevent _branch_match_id
_branch_referrer rb_clickid wickedid dm_i hootpostid hss_channel _kx _bta_tid _bta_c emci emdi sr_share
spmailingid spuserid spjobid spreportid sfmc_j sfmc_id sfmc_mid sfmc_uid sfmc_activityid bsft_*
trk_contact trk_msg trk_module trk_sid tt_medium tt_content ml_subscriber ml_subscriber_hash spm_id_from
`;

export const LISTED_BY_SITE = `
2game.com: ref
aliexpress.*: _t spm algo_pvid algo_expid btsid ws_ab_test initiative_id origin widgetid tabtype gps-id scm scm_id
  scm-url pvid algo_exp_id pdp_pi fromrankid sourcetype utparam gatewayadapt _evo_buckets tpp_rcmd_bucket_id
  scenario pdp_npi tt spreadtype srcsns biztype social_params aff_fcid aff_fsk aff_platform aff_trace_key shareid
  platform businesstype terminal_id afsmartredirect
amazon.*: psc colid coliid linkid linkcode ms3_c pf_rd_s pf_rd_t pf_rd_i pf_rd_m pd_rd_w qid sr dchild ref ref_ rnid
  pf_rd_r pf_rd_p pd_rd_r smid pd_rd_wg content-id spla crid sprefix hvlocint hvdvcmdl hvptwo hvpone hvpos qu
  pd_rd_i nc2 nc1 trk sc_icampaign trkcampaign ufe sc_icontent sc_ichannel sc_iplace sc_country sc_outcome sc_geo
  sc_campaign sc_channel
apple.com: uo app at ct ls pt mt itsct itscg referrer src
audible.*: qid sr pf_rd_p pf_rd_r plink ref
baidu.com: rsv_spt rsv_idx rsv_pq rsv_t rsv_bp rsv_dl rsv_iqid rsv_enter rsv_sug1 rsv_sug2 rsv_sug3 rsv_sug4
  rsv_sug5 rsv_sug6 rsv_sug7 rsv_sug8 rsv_sug9 rsv_btype tn sa rsf rqid usm __pc2ps_ab p_signature p_sign
  p_timestamp p_tk oq
bandcamp.com: from search_item_id search_item_type search_match_part search_page_id search_page_no search_rank
  search_sig
berrybase.de: spartner
bing.com: qs form sp pq sc cvid ck simid thid cdnurl pivotparams ghsh ghacc ccid ru
blizzardgearstore.com: _s
bostonglobe.com: p1
bostonherald.com: g2i_source g2i_medium g2i_campaign
boxofficemojo.com: ref_
buyatoyota.com: siteid
castorama.fr: syte_ref
cbc.ca: __vfz cmp referrer
cbsnews.com: ftag
change.org: source_location
cnbc.com: __source
cnn.com: hpt iid
connect.studentbeans.com: ref
cookiepro.com: source referral
cooking.nytimes.com: smid variant algo req_id surface imp_id action region module pgtype
countdown.co.nz: promo_name promo_creative promo_position
dailymail.co.uk: reg_source ito
discord.com: source ref
dlgamer.com: affil
dreamgame.com: affiliate
dyno.gg: ref
ebay.*: amdata _trkparms _trksid _from mkcid mkrid campid toolid mkevt customid siteid ufes_redirect ff3 pub media
  widget_ver ssspo sssrc ssuid
etail.market: tracking
etsy.com: click_key click_sum rec_type ref frs sts dd_referrer
eufy.com: ref
eufylife.com: ref
facebook.com: fb_ref fb_source referral_code referral_story_type tracking ref
fanatical.com: cj_pid cj_aid aff_track
findojobs.co.nz: source
fiverr.com: source context_referrer referrer_gig_slug ref_ctx_id funnel imp_id
frankenergie.nl: aff_id
gamebillet.com: affiliate
gamersgate.com: aff
gamesload.com: affil
gamesplanet.com: ref
garageclothing.com: syte_ref site_ref
gog.com: at_gd rec_scenario_id rec_sub_source_id rec_item_id vds_id rec_source
google.*: sourceid client aqs sxsrf uact ved iflsig source ei oq gs_lcp sclient bih biw sa dpr rlz gs_lp sca_esv si
  gs_l gs_lcrp
greenmangaming.com: pdpgatetoken
hashnode.com: source
hubspot.com: hubs_content-cta hubs_content
humblebundle.com: hmb_source hmb_medium hmb_campaign mcid linkid
imdb.com: ref_ pf_rd_m pf_rd_r pf_rd_p pf_rd_s pf_rd_t pf_rd_i ref_hp_hp_e_2 rf ref
imgur.com: source
indeed.com: from attributionid
independent.co.uk: regsourcemethod
indiegala.com: ref
instagram.com: source
inyourarea.co.uk: from_reach_primary_nav from_reach_footer_nav branding
jobs.venturebeat.com: source
joybuggy.com: ref
justwatch.com: cx uct_country uct_buybox sid
ko-fi.com: ref src
ladysmithchronicle.com: ref
lenovo.com: clickid linktrack
linkedin.com: contexturn destredirecturl lipi licu trk trkinfo originalreferer upsellorderorigin upselltrk
  upselltrackingid src trackingid midtoken midsig trkemail
lowes.com: ds_rl
macgamestore.com: ars
manymorestores.com: ref
marca.com: s_kw emk
marcaentradas.com: s_kw
medium.com: source
microsoft.com: refd icid
mouser.com: qs
msn.com: ocid cvid pc
music.apple.com: lid sr src
myanimelist.net: _location click_type click_param
news.com.au: sourcecode
newsflare.com: jwsource
newsweek.com: subref
noctre.com: aff
nova.cz: sznclid
nuuvem.com: ranmid raneaid ransiteid
office.com: from
optigruen.*: chash mdrv
osi.rosenberger.com: chash
pbtech.co.nz: qr
pinterest.*: rs
play.google.com: referrer pcampaignid
playshoptitans.com: af_ad source_caller shortlink
plex.tv: origin plex_utm sl ckhid
producthunt.com: ref
quizlet.com: funneluuid source
ranker.com: ref rlf li_source li_medium
realestate.com.au: campaigntype campaignchannel campaignname campaigncontent campaignsource campaignplacement
  sourcepage sourceelement
redbubble.com: ref
reddit.com: ref_campaign ref_source channel campaign user_agent domain base_url $android_deeplink_path
  $deeplink_path $og_redirect share_id correlation_id ref rdt
rekrute.com: clear
seek.co.nz: tracking sc_trk
seekbusiness.com.au: tracking
seekvolunteer.co.nz: tracking sc_trk
shopee.*: af_siteid af_click_lookback af_viewthrough_lookback is_retargeting af_reengagement_window af_sub_siteid
solodeportes.com.ar: nosto refsrc
spotify.com: si context sp_cid
squarespace.com: subchannel source subcampaign campaign channel
stacks.wellcomecollection.org: source
startpage.com: source
store.steampowered.com: snr
studentbeans.com: source
techcrunch.com: guce_referrer guce_referrer_sig
theguardian.com: acquisitiondata refpvid
ticketmaster.co.nz: tm_link
tiktok.com: is_copy_url is_from_webapp sender_device sender_web_id sec_user_id share_app_id share_item_id
  share_link_id social_sharing _r source tt_from share_author_id sec_uid checksum _d refer enter_from enter_method
  attr_medium attr_source
transparency.fb.com: source
twitch.tv: tt_email_id
voidu.com: affiliate
walmart.com: athasset povid wmlspartner athcpid athpgid athznid athmtid athstid athguid athwpid athtvid athcgid
  athieid athancid athbdg campaign_id eventst bt pos rdf tax plmt mloc pltfm pgid pt spqs aduid adsredirect
washingtonpost.com: itid s_l
watchworthy.app: ref
wattpad.com: wp_page wp_uname wp_originator
wfaa.com: ref
wingamestore.com: ars
wish.com: share
wsj.com: mod
wvva.com: outputtype
yahoo.com: guce_referrer guce_referrer_sig soc_src soc_trk tsrc
yandex.*: lr from grhow origin
`;

export const OWN_BY_SITE = `
aljazeera.com: xif
aliyun.com: spm scm
arstechnica.com: mbid
asahi.com: iref ref
bbc.co.uk: at_* ns_* ocid intlink_from_url link_location sthisfb
bbc.com: at_* ns_* ocid intlink_from_url link_location sthisfb
bilibili.com: share_source share_medium share_plat share_tag share_session_id share_from unique_k vd_source spm_id_from
  buvid is_story_h5 plat_id timestamp up_id bbid ts from_source from_spmid
bloomberg.com: sref srnd leadsource in_source
bonappetit.com: mbid
businessinsider.com: r ir
cnet.com: ftag
cntraveler.com: mbid
corriere.it: refresh_ce refresh_ce-cp
dailymail.co.uk: ito icid ns_*
derstandard.at: ref
economist.com: fsrc
elpais.com: ssm prm event_log rel
facebook.com: mibextid paipv eav _rdr __cft__* __tn__ __xts__* refsrc rdid share_url
faz.net: gepc
forbes.com: sh ss
ft.com: ftcamp segmentid sharetype accesstoken
gq.com: mbid
independent.co.uk: cmp
latimes.com: track
lemonde.fr: lmd_*
linkedin.com: rcm
mirror.co.uk: icid
newyorker.com: mbid
nikkei.com: n_cid
npr.org: ft f sc
nytimes.com: smid smtyp emc partner rref referringsource campaign_id instance_id segment_id regi_id unlocked_article_code
  ugrp sgrp searchresultposition pgtype mcubz ref
nzz.ch: mktcid mktcval reduced kid
pitchfork.com: mbid
quora.com: share srid ch oid
reuters.com: feedtype feedname rpc taid
scmp.com: module pgtype campaign
sky.com: dcmp
soundcloud.com: si
spiegel.de: sara_ref
stackoverflow.com: so_medium so_source
substack.com: r isfreemail triedredirect showwelcomeonshare
sueddeutsche.de: reduced
taobao.com: spm scm
telegraph.co.uk: icid
theguardian.com: cmp intlink
theregister.com: td
threads.com: xmt slof
threads.net: xmt slof
vanityfair.com: mbid
vimeo.com: share fl fe
vogue.com: mbid
washingtonpost.com: tid wprss pwapi_token
welt.de: wtrid wtmc
wired.com: mbid
wsj.com: st reflink
yahoo.com: .tsrc
yle.fi: origin
zdnet.com: ftag
zeit.de: freebie
`;
