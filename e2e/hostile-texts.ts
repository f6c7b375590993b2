/** What people might write to become more than text (docs/checks.md#5-unsafe-content): markup, addresses, templates, and letters that hide or pile up. Each at most 128 characters. */
export const hostileTexts = [
  '<img src=x onerror="alert(1)">',
  '<svg onload=alert(1)><script>alert(1)</script></svg>',
  '"><script>alert(1)</script>',
  `' onmouseover='alert(1)`,
  'javascript:alert(1)',
  'data:text/html,<script>alert(1)</script>',
  '<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=alert(1)&gt;">',
  '{{constructor.constructor("alert(1)")()}}',
  '</p></bdi><iframe src="https://evil.example"></iframe>',
  '<a href="javascript:alert(1)" style="position:fixed;inset:0">x</a>',
  '=HYPERLINK("https://evil.example")',
  '${alert(1)} #{alert(1)} <%= alert(1) %>',
  'Z\u0351\u036b\u0343\u036a\u0302\u036b\u033d\u034f\u0334\u0319\u0324a\u0315lgo',
  '\u202egnp.exe\u202c',
  'c\u200bar\u200ba',
  '\u0430na',
] as const
