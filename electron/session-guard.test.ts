import { beforeEach, expect, it, vi } from 'vitest'

vi.mock('electron', () => import('./testing/electron-double.ts'))
const { SessionDouble } = await import('./testing/session-double.ts')
const { guardSession } = await import('./session-guard.ts')

let session: InstanceType<typeof SessionDouble>
beforeEach(() => {
  session = new SessionDouble()
  guardSession(session as never)
})

it('gives the page no permission, no device and no picture of the screen', () => {
  const decided: unknown[] = []
  for (const permission of ['media', 'notifications', 'clipboard-read', 'fullscreen'])
    session.permission?.({}, permission, (allowed) => decided.push(allowed))
  session.display?.({}, (streams) => decided.push(streams))
  expect(decided).toEqual([false, false, false, false, {}])
  expect([session.check?.(), session.device?.()]).toEqual([false, false])
})

it.each([
  ['app://sidestage/media/t/1.mp4', true],
  ['blob:app://sidestage/0-1-2', true],
  ['data:image/png;base64,AAAA', true],
  ['devtools://devtools/bundled/x.js', true],
  ['data:text/html,x', false],
  ['blob:https://evil.example/0', false],
  ['https://evil.example/', false],
  ['http://127.0.0.1:8710/', false],
  ['file:///etc/passwd', false],
  ['ws://127.0.0.1:8711/', false],
])('lets a request to %s go: %s', (url, goes) => {
  const answers: unknown[] = []
  session.before?.({ url }, (answer) => answers.push(answer))
  expect(answers).toEqual([{ cancel: !goes }])
})
