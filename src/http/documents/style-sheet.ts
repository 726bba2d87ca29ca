import { createHash } from 'node:crypto';
import type { Document } from '#http/responses/document.ts';

/**
 * Colours by role. Those from `idea` to `none` are for the prefixes. Every text colour has a contrast of at
 * least 4.5 to every background (WCAG 2.2, 1.4.3); a test computes it.
 */
export const LIGHT = {
  paper: '#fcfbf8',
  /** The background of messages. */
  card: '#ffffff',
  /** The background of code and forms. */
  tint: '#f3f0e9',
  line: '#d9d3c7',
  text: '#22252a',
  quiet: '#5c6068',
  link: '#84430c',
  /** The background of marks, of hits, and of the message that the URL's fragment names. */
  marked: '#fbe8b0',
  idea: '#7f5200',
  work: '#1b57a0',
  result: '#1a6840',
  review: '#71399b',
  change: '#a02c48',
  none: '#5c6068',
};

export type Palette = typeof LIGHT;

export const DARK: Palette = {
  paper: '#16181b',
  card: '#1b1e22',
  tint: '#25292f',
  line: '#3a3e45',
  text: '#e5e2dc',
  quiet: '#a5a49f',
  link: '#f2b866',
  marked: '#453812',
  idea: '#eeb65c',
  work: '#84b7f6',
  result: '#74cf98',
  review: '#cfa6f2',
  change: '#f59fae',
  none: '#a5a49f',
};

const variables = (palette: Palette): string =>
  Object.entries(palette)
    .map(([name, colour]) => `--${name}:${colour}`)
    .join(';');

/** Returns rules with a class for each prefix. @param declare returns the declarations for a colour */
const byPrefix = (toSelector: (name: string) => string, declare: (colour: string) => string): string =>
  ['idea', 'work', 'result', 'review', 'change', 'none']
    .map((name) => `${toSelector(name)}{${declare(`var(--${name})`)}}`)
    .join('');

/** Shows each row as lines of text, for tables with at least this many columns. */
const stackRows = (columns: number): string => {
  const table = `.wide table:has(:is(th,td):nth-child(${columns}))`;
  return `${table} :is(tr,th,td){display:inline;border:0;padding:0 .5em 0 0;white-space:normal}
${table} tr{display:block;border-bottom:1px solid var(--line)}`;
};

/** The tint of a day in the archive, in percent, for each quarter of the largest number of messages a day. */
export const TINTS = [10, 22, 34, 46];

/** The style sheet. Type scale: .8125, .9375, 1, 1.25, 1.625rem; spacing in units of .5rem. */
const STYLE = `
:root{color-scheme:light dark;--ground:var(--paper);--shade:#0003;${variables(LIGHT)}}
@media (prefers-color-scheme:dark){:root{--shade:#000b;${variables(DARK)}}}
*,::before{box-sizing:border-box}
html{-webkit-text-size-adjust:100%;text-size-adjust:100%}
body{margin:0;background:var(--paper);color:var(--text);
font:1rem/1.6 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif;overflow-wrap:anywhere}
a{color:var(--link);text-underline-offset:.15em;text-decoration-thickness:1px}
a:hover{text-decoration-thickness:2px}
:focus-visible{outline:2px solid var(--link);outline-offset:2px;border-radius:2px}
h1,h2,h3,h4,p,ul,ol,dl,dd,pre,table,blockquote{margin:0}
h1{font-size:1.625rem;line-height:1.25;text-wrap:balance}
h2{font-size:1.25rem;line-height:1.3}
h3{font-size:1rem}
h1,.name,.byline>*,.trail,.excerpt,.known li>*,.row h2,.says{overflow:clip;overflow-clip-margin:.2em}
pre,code{font:.9375em/1.5 ui-monospace,"Cascadia Mono",Menlo,Consolas,monospace}
bdi{unicode-bidi:isolate}
/* Firefox aligns items with their list, whatever the direction of their text. */
li{text-align:start}
.top ul,.finds,.threads,.list,.rows,.known{padding:0;list-style:none}
mark{background:var(--marked);color:inherit;font-weight:650}
@media screen{.printed{display:none}}
.skip,.hidden{position:absolute;left:-999rem}
.skip:focus{left:.5rem;top:.5rem;padding:.5rem 1rem;background:var(--paper);z-index:1}
.top,main,.foot{max-width:48rem;margin:0 auto;padding:0 1rem}
.top{display:flex;flex-wrap:wrap;gap:.5rem 1.5rem;align-items:center;padding-top:1rem;padding-bottom:1rem}
.brand{display:flex;gap:.5rem;align-items:center;font-weight:650;color:var(--text);text-decoration:none}
.brand svg{width:1.5rem;height:1.5rem}
.top ul{display:flex;flex-wrap:wrap;gap:0 1rem}
.top li a{display:inline-block;padding:.25rem 0;text-decoration:none}
.top form{margin-left:auto}
.top nav{width:100%}
.top input{width:10.5rem;height:2.25rem}
:is(.top li,.byline,.day,.month) a:hover,.title:hover,a.excerpt:hover{text-decoration:underline}
[aria-current]{color:var(--text);font-weight:600}
.top [aria-current]{box-shadow:0 2px 0 var(--link)}
main{padding-top:1rem;padding-bottom:2rem}
main>*+*{margin-top:1rem}
main>h2{margin-top:2rem}
main>h1+p{margin-top:.5rem}
.quiet{color:var(--quiet)}
/* 15 px and more, but for names of standings and kinds. */
.small,.byline,.trail{font-size:.9375rem;line-height:1.5}
.byline,.trail{color:var(--quiet)}
.byline{display:flex;flex-wrap:wrap;gap:0 .75rem;align-items:center}
.byline h2{font-size:inherit;font-weight:400;line-height:inherit;display:inline-flex;flex-wrap:wrap;
gap:0 .75rem;align-items:center}
.byline a{color:inherit;display:inline-block;line-height:1.5rem;text-decoration:none}
.byline span a{text-decoration:underline}
.byline .name,.name{color:var(--text);font-weight:600}
.signer{font-family:ui-monospace,monospace;white-space:nowrap}
.byline .new,.new{color:var(--link)}
.byline .new:visited,.new:visited{color:var(--quiet)}
.trail a{display:inline-block;line-height:1.5rem}
.st{font-size:.8125rem;line-height:1.25rem;font-weight:650;padding:0 .375rem;border:1px solid;border-radius:3px;white-space:nowrap}
:is(.st,.tag):is(.confirmed,.partlyConfirmed){color:var(--result)}
:is(.st,.tag).refuted{color:var(--change)}
:is(.st,.tag).contested{color:var(--idea)}
.st:is(.unreviewed,.reviewed,.replaced,.withdrawn,.uncounted){color:var(--quiet);border-style:dotted}
.st:is(.partlyConfirmed,.contested){border-style:dashed}
.st a{color:inherit}
.byline .num a{color:inherit;text-decoration:none}
.num{color:var(--quiet);font-variant-numeric:tabular-nums}
.who.like{background:var(--marked);color:var(--text);border:1px solid transparent;font-weight:600;padding:0 .375rem;border-radius:3px}
.trail{display:flex;flex-wrap:wrap;gap:0 1rem;margin-top:.5rem}
.title:visited,a.excerpt:visited{color:var(--quiet)}
.foot p{border-top:1px solid var(--line);padding-top:1rem}
.foot{padding-bottom:1rem;font-size:.9375rem;color:var(--quiet)}
.badge{display:inline-flex;align-items:center;gap:.375rem;font-size:.8125rem;font-weight:650;
letter-spacing:.03em;white-space:nowrap}
.badge::before{content:"";width:.625rem;height:.625rem;background:currentColor;flex:none;
print-color-adjust:exact}
.badge.none::before{background:none;border:2px solid currentColor;border-radius:50%}
.badge.idea::before{border-radius:50%}
.badge.work::before{background:none;border:2px solid currentColor}
.badge.review::before{clip-path:polygon(50% 0,100% 50%,50% 100%,0 50%)}
.badge.change::before{clip-path:polygon(50% 0,100% 100%,0 100%)}
${byPrefix(
  (name) => `.badge.${name}`,
  (colour) => `color:${colour}`,
)}
.lede{font-size:1.125rem}
.bars{display:block;width:100%;height:4.5rem}
.bars .all{fill:var(--line)}
.bars .ok{fill:var(--result)}
.axis{display:flex;justify-content:space-between;gap:1rem;margin-top:.25rem;color:var(--quiet);
font-size:.9375rem;line-height:1.4}
.axis>:first-child{white-space:nowrap}
.axis b{color:var(--result)}
.finds{display:grid;gap:0 2rem;grid-template-columns:repeat(auto-fit,minmax(min(18rem,100%),1fr))}
.finds>li{padding:.75rem 0 1rem;border-top:2px solid var(--result);line-height:1.45}
.finds a,.over a,.chk a{color:inherit;text-decoration:none}
.finds a:hover,.chk a:hover{text-decoration:underline}
.finds .of{font-size:.9375rem;color:var(--quiet)}
.what{font-size:1.125rem;margin-top:.25rem}
.chk{font-size:.9375rem;line-height:1.45;color:var(--quiet);border-inline-start:3px solid var(--result);padding-inline-start:.75rem;margin-top:.5rem}
.chk p{margin-top:.125rem}
.chk b{font-weight:600;color:var(--text)}
.chk .but{color:var(--change)}
.threads{border-top:1px solid var(--line)}
.threads>li{display:grid;grid-template-columns:1fr 11rem 5rem;gap:0 1rem;padding:.4375rem 0;border-bottom:1px solid var(--line);line-height:1.5}
.threads p{font-size:.9375rem;color:var(--quiet)}
.threads .title{margin-inline-start:0}
.threads .like{margin-left:.1875rem}
.threads .new{display:inline-block;line-height:1.5rem;text-decoration:none}
.threads p:last-child{text-align:end;white-space:nowrap}
.bar{display:flex;gap:2px;height:.5rem;margin-top:.25rem}
.bar i{flex:1;max-width:1.25rem;border:1px solid var(--result)}
.bar .confirmed{background:var(--result)}
.bar .partlyConfirmed{background:linear-gradient(90deg,var(--result) 50%,transparent 50%)}
.bar :is(.unreviewed,.toReview){border-style:dotted}
.bar .underWay{border-color:var(--work)}
.bar .free{border-color:var(--line)}
.bar .contested{border-color:var(--idea);background:linear-gradient(90deg,var(--idea) 50%,transparent 50%)}
.bar .refuted{border-color:var(--change);background:repeating-linear-gradient(45deg,var(--change) 0 2px,transparent 2px 4px)}
.day{font-size:.9375rem;font-weight:600;color:var(--quiet);margin-top:2rem}
.day a{color:var(--text);text-decoration:none}
.message,.list>li{--ground:var(--card);background:var(--ground);border:1px solid var(--line);
border-left-width:4px;border-radius:4px;padding:.75rem 1rem}
${byPrefix(
  (name) => `.list>.${name},.message.${name},.row.${name}`,
  (colour) => `border-left-color:${colour}`,
)}
.list>li+li{margin-top:.75rem}
.title{font-weight:600;text-decoration:none;position:relative;margin-inline-start:-.5625rem;padding-inline-start:.5625rem;
display:-webkit-box;-webkit-box-orient:vertical;-webkit-line-clamp:3;overflow:hidden}
.title::before{content:"";position:absolute;inset-inline-start:0;top:.6em;width:.375rem;height:.375rem;
border-radius:50%;background-color:var(--link)}
.title:visited::before{background-color:var(--ground)}
.title+*{margin-top:.25rem}
.rows>li{padding-top:.25rem}
.list>.several{border-left-color:var(--none)}
.several>.rows{margin-top:.375rem}
.several>.rows>li{display:flex;flex-wrap:wrap;gap:0 .75rem;align-items:baseline;padding:.25rem 0;border-top:1px solid var(--line)}
.several>.rows>li:last-child{padding-bottom:0}
.rows .excerpt{display:-webkit-box;-webkit-box-orient:vertical;-webkit-line-clamp:4;overflow:hidden}
.several>.rows .small{width:100%}
.several .excerpt{flex:1 1 100%;min-width:0;margin:0;font-size:.9375rem}
.list:not(.found) .several .excerpt{display:block;white-space:nowrap;text-overflow:ellipsis}
.excerpt{unicode-bidi:plaintext;margin-top:.25rem;display:block}
a.excerpt{color:var(--text);text-decoration:none}
.overview{font-size:.9375rem;display:flex;flex-wrap:wrap;gap:.25rem 1.5rem}
.over{font-size:.9375rem;font-weight:400;margin-bottom:.25rem;color:var(--quiet)}
.over small{font-size:inherit}
.list section+section{border-top:1px solid var(--line);margin-top:.75rem;padding-top:.75rem}
.says{border-left:3px solid var(--line);padding-left:.75rem;margin-top:.5rem;color:var(--quiet);font-size:.9375rem}
.message{scroll-margin-top:1rem}
.message h3{font-size:1.0625rem;margin-top:.5rem}
.message h1{margin-top:.25rem;unicode-bidi:plaintext;text-wrap:wrap}
.message:target,.list>li:target{--ground:var(--marked)}
.replies .message,.branch>summary{margin-top:1rem}
.replies .message.next{margin-top:.5rem;position:relative}
.next::before{content:"";position:absolute;left:1rem;top:-.5rem;height:.5rem;border-left:2px solid var(--line)}
.branch{margin-left:.5rem;padding-left:1rem;border-left:2px solid var(--line)}
.branch>summary,.more>summary{font-size:.9375rem}
.more[open]>summary{color:var(--quiet)}
.message:target .more::details-content{content-visibility:visible;block-size:auto}
.message:target .more>summary{display:none}
.lead h1{margin-top:.25rem}
.lead>.small{margin-top:.5rem}
.so-far>*+*{margin-top:.75rem}
.so-far h2{margin-top:1.5rem}
.so-far h2:first-child{margin-top:2rem}
.sum{font-size:1.0625rem;font-weight:600;color:var(--result)}
.so-far>.bar{max-width:24rem}
.so-far>.bar i{max-width:none}
.known{border-top:2px solid}
.known>li{display:grid;grid-template-columns:9.5rem 1fr;gap:.25rem 1rem;padding:.75rem 0;border-bottom:1px solid var(--line);line-height:1.4}
.known .part b{display:block}
.known div>p>a[dir]{font-weight:600;text-decoration:none;color:var(--text)}
.known div>p>a[dir]:hover{text-decoration:underline}
.known small{font-size:.875rem;color:var(--quiet)}
.known small .name{font-weight:400;color:inherit}
.known .small{margin-top:.25rem}
.chk small a{text-decoration:underline}
.tag{display:inline-flex;white-space:nowrap;gap:.375rem;align-items:center;font-size:.8125rem;font-weight:650;color:var(--quiet)}
.tag::before{content:"";width:.625rem;height:.625rem;border-radius:50%;border:2px dotted;flex:none}
.tag:is(.confirmed,.partlyConfirmed,.contested,.underWay)::before{border-style:solid}
.tag.confirmed::before{background:currentColor}
.tag:is(.partlyConfirmed,.contested)::before{background:linear-gradient(90deg,currentColor 50%,transparent 50%)}
.tag.underWay{color:var(--work)}
.trusted{background:var(--tint);border-radius:6px;padding:.75rem 1rem;font-size:.9375rem;line-height:1.5}
.so-far .trusted h2{font-size:1rem;margin:0}
.trusted p+p{margin-top:.375rem}
.want{font-size:1.0625rem;border-left:3px solid var(--idea);padding-left:.875rem}
.lead .want{margin-top:1rem}
.row{border:1px solid var(--line);border-left-width:4px;border-radius:4px;background:var(--card);margin-top:.375rem;
position:relative;font-size:.9375rem;line-height:1.375rem}
.row summary{display:flex;flex-wrap:wrap;gap:0 .75rem;align-items:baseline;color:var(--quiet);padding:.3125rem 2rem .3125rem 1rem;
position:relative;list-style:none}
.row h2{font:inherit;display:flex;flex-wrap:wrap;gap:0 .75rem;align-items:baseline}
.row .one{flex:1 1 12rem;min-width:0;overflow:hidden;white-space:nowrap;text-overflow:ellipsis;color:var(--text)}
.row.fallen .one{color:var(--quiet)}
.row details>div{margin:0;padding:0 1rem .75rem}
/* What a link leads to is part of what opens, and stands at the top of the row. */
.at{position:absolute;top:0;scroll-margin-top:1rem}
.row summary::after{content:"▸"/"";position:absolute;right:.75rem}
.row [open]>summary::after{content:"▾"/""}
.row .text{font-size:1rem}
.row:has(:target){background:var(--marked)}
.replies .row+.message,.replies .message+.row{margin-top:.75rem}
.text{max-width:44rem;margin-top:.5rem;overflow:hidden;line-height:1.65}
.text>*+*,.text li>*+*,.text blockquote>*+*{margin-top:.75rem}
.text p,.text li,.text td,.text th,.text pre{unicode-bidi:plaintext}
.text ul{padding-inline-start:1.5rem}
.text ol{padding-inline-start:2.5rem}
.text blockquote{border-inline-start:3px solid var(--line);padding-inline-start:1rem;color:var(--quiet)}
.text hr{border:0;border-top:1px solid var(--line)}
.text :not(pre)>code{background:var(--tint);padding:.1em .3em;border-radius:3px}
.text .heading{font-size:1.05em}
.wide{overflow-x:auto;max-width:100%;background:linear-gradient(90deg,var(--ground) 50%,transparent) 0 0/2rem,
linear-gradient(-90deg,var(--ground) 50%,transparent) 100% 0/2rem,
linear-gradient(90deg,var(--shade),transparent) 0 0/.75rem,
linear-gradient(-90deg,var(--shade),transparent) 100% 0/.75rem;background-repeat:no-repeat;
background-attachment:local,local,scroll,scroll}
.wide table{border-collapse:collapse;font-size:.9375em;overflow-wrap:normal;min-width:50%}
th,td{padding:.25rem .75rem;border-bottom:1px solid var(--line);text-align:start;vertical-align:top}
th{vertical-align:bottom}
.wide :is(td,th){max-width:24rem}
.text td{white-space:nowrap}
.text .long{white-space:normal;min-width:12rem}
${stackRows(13)}
.right{text-align:right}.center{text-align:center}
pre.wide,pre.sample{--ground:var(--tint);background-color:var(--tint);border:1px solid var(--line);
padding:.75rem 1rem;border-radius:6px}
pre.sample,pre.wrapped{white-space:pre-wrap}
pre.plain{white-space:pre-wrap;font:inherit}
main>h2+.small{margin-top:0}
form.search{display:flex;flex-wrap:wrap;gap:.75rem;align-items:end;padding:1rem;background:var(--tint);
border-radius:6px}
form.search label{display:grid;gap:.25rem;font-size:.8125rem;flex:1 1 8rem}
form.search label:first-child{flex:3 1 14rem}
input,select,button{font:inherit;color:inherit;background:var(--paper);border:1px solid var(--quiet);
border-radius:4px;padding:.375rem .5rem;min-width:0;width:100%;height:2.5rem}
[type=radio]{width:1.25rem;height:1.25rem;flex:none;margin:0;accent-color:var(--link)}
.choice{display:flex;gap:.75rem;align-items:center;padding:.375rem 0}
fieldset{border:1px solid var(--line);border-radius:6px;padding:.5rem 1rem;margin:0 0 1rem}
button{width:auto;padding:.375rem 1rem;font-weight:600;cursor:pointer}
.judge{position:sticky;bottom:0;padding:.5rem 0;background:var(--paper);border-top:1px solid var(--line)}
.judge p{display:grid;gap:12px}
.judge button{width:100%;height:3rem}
.judge [value=hide]{background:var(--link);border-color:var(--link);color:var(--paper)}
summary{cursor:pointer;color:var(--link)}
details>*+*{margin-top:.75rem}
.months{display:grid;grid-template-columns:repeat(auto-fill,minmax(17rem,1fr));gap:2rem 3rem;margin-top:2rem}
.month{width:100%;color:var(--quiet);table-layout:fixed;border-spacing:2px;font-size:.9375rem}
.month :is(td,th){padding:0;border:0;border-radius:3px;font-weight:400;line-height:2rem;text-align:center}
.month a{display:block;color:var(--text);font-weight:600;text-decoration:none}
${TINTS.map((share, index) => `.t${index + 1}{background:color-mix(in srgb,var(--result) ${share}%,var(--paper))}`).join('')}
.pager{display:flex;flex-wrap:wrap;gap:.5rem 2rem}
.facts{display:grid;grid-template-columns:max-content 1fr;gap:.25rem 1.5rem}
.facts dt{color:var(--quiet)}
.message .facts{margin-top:.75rem}
@media (max-width:36rem){
.known>li{grid-template-columns:1fr}
.known .part{display:flex;justify-content:space-between;gap:.75rem;align-items:baseline}
.threads>li{grid-template-columns:1fr auto;padding:.3125rem 0;line-height:1.375}
.threads>li>div{grid-column:1/-1}
.threads .bar{display:inline-flex;width:5rem;margin:0 0 0 .5rem}
.top form{flex:1;max-width:12rem}
.top input{width:100%}
.top ul{gap:0 .75rem}
.top li a{font-size:.9375rem;padding:.375rem 0}
.top,main{padding-top:.5rem}
.top{padding-bottom:0}
main>h2{margin-top:1.5rem}
.finds>li{padding:.5rem 0 .75rem}
.lede{font-size:1rem}
.bars{height:2.5rem}
.axis span+span{text-align:end}
.axis span:last-child{display:none}
.message,.list>li{padding:.625rem .75rem}
.branch{margin-left:0;padding-left:.5rem}
.list:not(.found) .several .excerpt{display:-webkit-box;-webkit-box-orient:vertical;-webkit-line-clamp:2;white-space:normal}
.text :is(td,th){padding:.125rem .5rem;line-height:1.4}
.wide :is(td,th){max-width:65vw}
.text .long{min-width:9rem}
.facts{grid-template-columns:1fr}
.facts dd+dt{margin-top:.5rem}
}
@media (forced-colors:active){
.badge::before,.tag::before,.bar i,.bars rect,.title::before{forced-color-adjust:none;color:CanvasText}
.title::before{background-color:LinkText}
.title:visited::before{background-color:Canvas}
.top [aria-current]{border-bottom:2px solid}
${TINTS.map((_, index) => `.t${index + 1}{border-bottom:${2 * index + 1}px solid!important}`).join('')}
:is(.who.like,.says,mark){outline:1px solid}
:is(.message:target,.list>li:target,.row:has(:target)){outline:3px solid Highlight}
}
@media print{
details::details-content{content-visibility:visible;block-size:auto}
.more>summary,.top :is(nav,form),[rel=nofollow],.search,.pager,.skip,.foot>:not(.printed),.show{display:none}
.message .num a::after{content:" " attr(href)}
.at{position:static}
.at::before{content:"#" attr(id)}
body{background:none;color:#000;font-size:10pt}
.message,.list>li{background:none;padding:.5rem .75rem}
.byline,h2,h3{break-after:avoid}
.branch{margin-left:0;padding-left:.25rem}
.wide{overflow:visible;white-space:pre-wrap;background:none}
.wide:has(table){white-space:normal}
.title::before,.row summary::after{display:none}
.row .one{white-space:normal}
.who.like{border-color:currentColor}
${stackRows(9)}
a{color:inherit}
}
`;

/** The path changes with the content. */
export const STYLE_PATH =
  `/style-${createHash('sha256').update(STYLE).digest('hex').slice(0, 12)}.css` as const;

/** The files that an error page needs. */
export const PAGE_FILES: ReadonlySet<string | undefined> = new Set([STYLE_PATH, '/icon.svg', '/favicon.ico']);

export const STYLE_SHEET: Document = {
  type: 'text/css; charset=utf-8',
  cacheControl: 'public, max-age=31536000, immutable',
  body: () => STYLE,
};
