import { DARK, LIGHT, type Palette } from './palette.ts';

const variables = (palette: Palette): string =>
  Object.entries(palette)
    .map(([name, colour]) => `--${name}:${colour}`)
    .join(';');

/** The style sheet, inline in every page. Type scale: .8125, 1, 1.25, 1.625rem; spacing in units of .5rem. */
export const STYLE = `
:root{color-scheme:light dark;${variables(LIGHT)}}
@media (prefers-color-scheme:dark){:root{${variables(DARK)}}}
*,::before{box-sizing:border-box}
html{-webkit-text-size-adjust:100%;text-size-adjust:100%}
body{margin:0;background:var(--paper);color:var(--text);
font:1rem/1.6 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif;overflow-wrap:anywhere}
a{color:var(--link);text-underline-offset:.15em;text-decoration-thickness:1px}
a:hover{text-decoration-thickness:2px}
:focus-visible{outline:2px solid var(--link);outline-offset:2px;border-radius:2px}
h1,h2,h3,p,ul,ol,dl,dd,pre,table,blockquote,figure{margin:0}
h1{font-size:1.625rem;line-height:1.25;text-wrap:balance}
h2{font-size:1.25rem;line-height:1.3}
h3{font-size:1rem}
pre,code{font:.9em/1.5 ui-monospace,"Cascadia Mono",Menlo,Consolas,monospace}
bdi{unicode-bidi:isolate}
.skip{position:absolute;left:-999rem}
.skip:focus{left:.5rem;top:.5rem;padding:.5rem 1rem;background:var(--paper);z-index:1}
.top,main,.foot{max-width:48rem;margin:0 auto;padding:0 1rem}
.top{display:flex;flex-wrap:wrap;gap:.5rem 1.5rem;align-items:center;padding-top:1rem;padding-bottom:1rem}
.brand{display:flex;gap:.5rem;align-items:center;font-weight:650;color:var(--text);text-decoration:none}
.brand svg{width:1.5rem;height:1.5rem}
.top ul{display:flex;flex-wrap:wrap;gap:0 1rem;padding:0;list-style:none}
.top li a{display:inline-block;padding:.25rem 0;text-decoration:none}
.top li a:hover,.list .title:hover{text-decoration:underline}
[aria-current]{color:var(--text);font-weight:600}
.top [aria-current]{box-shadow:0 2px 0 var(--link)}
main{padding-top:1rem;padding-bottom:3rem}
main>*+*{margin-top:1.5rem}
main>h2{margin-top:3rem}
main>h1+p{margin-top:.5rem}
.quiet{color:var(--quiet)}
.small,.byline,.trail{font-size:.8125rem;line-height:1.5}
.byline,.trail{color:var(--quiet)}
.byline,.list>li>p{overflow:clip;overflow-clip-margin:.25rem}
.byline{display:flex;flex-wrap:wrap;gap:0 .75rem;align-items:center}
.byline h2,.byline h3{font-size:inherit;font-weight:400;line-height:inherit;display:inline-flex;gap:.5rem;
color:var(--text)}
.byline a{color:inherit}
.byline a,.trail a{display:inline-block;line-height:1.5rem}
.trail{display:flex;flex-wrap:wrap;gap:0 1rem;margin-top:.5rem}
.foot{border-top:1px solid var(--line);padding-top:1rem;padding-bottom:3rem;font-size:.8125rem;
color:var(--quiet)}
.foot p+p{margin-top:.5rem}
.badge{display:inline-flex;align-items:center;gap:.375rem;font-size:.8125rem;font-weight:650;
letter-spacing:.03em;white-space:nowrap;color:var(--none)}
.badge::before{content:"";width:.625rem;height:.625rem;background:currentColor;flex:none}
.badge.none::before{background:none;border:2px solid currentColor;border-radius:50%}
.badge.idea::before{border-radius:50%}
.badge.work::before{background:none;border:2px solid currentColor}
.badge.review::before{clip-path:polygon(50% 0,100% 50%,50% 100%,0 50%)}
.badge.change::before{clip-path:polygon(50% 0,100% 100%,0 100%)}
.badge.idea{color:var(--idea)}.badge.work{color:var(--work)}.badge.result{color:var(--result)}
.badge.review{color:var(--review)}.badge.change{color:var(--change)}
.list{padding:0;list-style:none}
.list>li{padding:1rem 0;border-top:1px solid var(--line)}
.list>li:last-child{border-bottom:1px solid var(--line)}
.list .title{font-weight:600;display:block;text-decoration:none;unicode-bidi:plaintext;overflow:hidden}
.list .title+*{margin-top:.25rem}
.excerpt{color:var(--quiet);unicode-bidi:plaintext;overflow:hidden;margin-top:.25rem}
.counts{display:flex;flex-wrap:wrap;gap:.5rem 2rem;padding:0;list-style:none}
.counts b{display:block;font-size:1.625rem;line-height:1.2;font-weight:650;font-variant-numeric:tabular-nums}
.message{scroll-margin-top:1rem}
.message.asked{background:var(--tint);box-shadow:0 0 0 1rem var(--tint);border-radius:2px;margin:2rem 0}
.message:target{background:var(--marked);box-shadow:0 0 0 .75rem var(--marked);border-radius:2px}
.replies{margin-top:2rem}
.replies .message{margin-top:2rem}
.replies .replies{margin-top:0;margin-left:.25rem;padding-left:1.25rem;border-left:2px solid var(--line)}
.text{max-width:44rem;margin-top:.5rem;overflow:hidden;line-height:1.65}
.text>*+*,.text li>*+*,.text blockquote>*+*{margin-top:.75rem}
.text p,.text li,.text td,.text th,.text pre{unicode-bidi:plaintext}
.text ul,.text ol{padding-left:1.5rem}
.text blockquote{border-left:3px solid var(--line);padding-left:1rem;color:var(--quiet)}
.text hr{border:0;border-top:1px solid var(--line)}
.text :not(pre)>code{background:var(--tint);padding:.1em .3em;border-radius:3px}
.text .heading{font-size:1.05em}
.wide{overflow-x:auto;max-width:100%}
.wide table,table.plain{border-collapse:collapse;font-size:.9em}
.wide table{overflow-wrap:normal;min-width:50%}
th,td{padding:.25rem .75rem;border-bottom:1px solid var(--line);text-align:start;vertical-align:top}
.wide td,.wide th{max-width:24rem}
.right{text-align:right}.center{text-align:center}
pre.wide,pre.sample{background:var(--tint);padding:.75rem 1rem;border-radius:6px}
pre.sample{white-space:pre-wrap}
pre.plain{white-space:pre-wrap;font:inherit}
main>h2+.small{margin-top:.5rem}
form.search{display:flex;flex-wrap:wrap;gap:.75rem;align-items:end;padding:1rem;background:var(--tint);
border-radius:6px}
form.search label{display:grid;gap:.25rem;font-size:.8125rem;flex:1 1 8rem}
form.search label:first-child{flex:3 1 14rem}
input,select,button{font:inherit;color:inherit;background:var(--paper);border:1px solid var(--quiet);
border-radius:4px;padding:.375rem .5rem;min-width:0;width:100%;height:2.5rem}
button{width:auto;padding:.375rem 1rem;font-weight:600;cursor:pointer}
.chart{display:block;width:100%;height:auto}
.chart rect.idea{fill:var(--idea)}.chart rect.work{fill:var(--work)}.chart rect.result{fill:var(--result)}
.chart rect.review{fill:var(--review)}.chart rect.change{fill:var(--change)}.chart rect.none{fill:var(--none)}
.chart line{stroke:var(--line)}
.chart text{fill:var(--quiet);font-size:9px}
.key{display:flex;flex-wrap:wrap;gap:0 1rem;padding:0;list-style:none}
summary{cursor:pointer;color:var(--link)}
details>*+*{margin-top:.75rem}
.days{columns:14rem;padding:0;list-style:none}
.days li{padding:.125rem 0;font-variant-numeric:tabular-nums}
.pager{display:flex;flex-wrap:wrap;gap:.5rem 2rem}
.facts{display:grid;grid-template-columns:max-content 1fr;gap:.25rem 1.5rem}
.facts dt{color:var(--quiet)}
.uses dt{margin-top:.75rem}
@media (max-width:36rem){
.replies .replies{margin-left:0;padding-left:.75rem}
.facts{grid-template-columns:1fr}
.facts dd+dt{margin-top:.5rem}
}
@media print{
.top nav,.search,.pager,.skip,.foot{display:none}
body{background:none;color:#000;font-size:10pt}
.message{break-inside:avoid-page}
.wide{overflow:visible;white-space:pre-wrap}
a{color:inherit}
}
`;
