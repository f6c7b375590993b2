import { expect, it } from 'vitest'
import { programOf } from './user-agent.ts'

const webKit = 'AppleWebKit/605.1.15 (KHTML, like Gecko)'
it.each([
  [`Mozilla/5.0 (iPad; CPU OS 18_0 like Mac OS X) ${webKit} Version/18.0 Mobile/15E148 Safari/604.1`, 'Safari on iPad'],
  [`Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) ${webKit} CriOS/140.0 Safari/604.1`, 'Chrome on iPhone'],
  [`Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${webKit} Chrome/140.0 Safari/537.36 Edg/140.0`, 'Edge on Windows'],
  ['Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0', 'Firefox on Linux'],
  [
    `Mozilla/5.0 (Linux; Android 15; K) ${webKit} SamsungBrowser/28.0 Chrome/130.0 Safari/537.36`,
    'Samsung Internet on Android',
  ],
  ['VLC/3.0.21 LibVLC/3.0.21', 'VLC'],
  ['Lavf/61.7.100', 'FFmpeg'],
  ['<script>alert(1)</script>', ''],
  [undefined, ''],
])('what a User-Agent says is named, and nothing of it is repeated: %s', (agent, name) => {
  expect(programOf(agent)).toBe(name)
})
