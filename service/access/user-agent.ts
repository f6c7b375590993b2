/** Browsers and players by a mark of their User-Agent, the more special first. */
const programs: readonly (readonly [RegExp, string])[] = [
  [/\bOBS\b/, 'OBS'],
  [/\bEdg(?:e|A|iOS)?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:Chrome|CriOS|Chromium)\//, 'Chrome'],
  [/\bVersion\/[\d.]+.*Safari\//, 'Safari'],
  [/\bVLC\b|\bLibVLC\b/i, 'VLC'],
  [/\bmpv\b/i, 'mpv'],
  [/^Lavf\//, 'FFmpeg'],
]
const systems: readonly (readonly [RegExp, string])[] = [
  [/\biPad\b/, 'iPad'],
  [/\biPhone\b|\biPod\b/, 'iPhone'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b|\bMacintosh\b/, 'macOS'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b|\bX11\b/, 'Linux'],
]
const found = (those: readonly (readonly [RegExp, string])[], agent: string): string | undefined =>
  those.find(([mark]) => mark.test(agent))?.[1]

/** Longest User-Agent that is read, in characters. */
const maxAgent = 512

/** What somebody uses, in names that everybody knows: `Safari on iPad`; never parts of the text itself. */
export function programOf(agent: string = ''): string {
  const text = agent.slice(0, maxAgent)
  const program = found(programs, text)
  const system = found(systems, text)
  return program && system ? `${program} on ${system}` : (program ?? system ?? '')
}
