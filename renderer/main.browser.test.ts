import { describe, expect, it, onTestFinished } from 'vitest'
import { seatsWords } from './features/moderators/words.ts'
import { frameWords } from './features/frame/words.ts'
import { joiningWords } from './features/remote-rooms/words.ts'
import { spoken } from './format/languages.ts'
import type { DesktopShell } from './data/shell.ts'

const en = spoken(frameWords, 'en')
const { seatPage } = spoken(seatsWords, 'en')
const { joining } = spoken(joiningWords, 'en')

interface Answer {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
}
type Page = Window & typeof globalThis

/** The page of the app in a window of its own, as a browser opens it at `address`. */
async function open({
  address = '',
  answer = { status: 401 },
  shell,
}: { readonly address?: string; readonly answer?: Answer; readonly shell?: Partial<DesktopShell> } = {}) {
  const kept = { ...localStorage }
  const frame = document.createElement('iframe')
  frame.style.cssText = 'width: 1200px; height: 800px'
  onTestFinished(() => {
    frame.remove()
    localStorage.clear()
    for (const [key, value] of Object.entries(kept)) localStorage.setItem(key, value)
  })
  const opened = Promise.withResolvers<unknown>()
  frame.addEventListener('load', opened.resolve, { once: true })
  // Any small file of the same origin: only its address matters.
  frame.src = `/package.json${address}`
  document.body.append(frame)
  await opened.promise
  const page = frame.contentWindow as Page
  const asked: unknown[][] = []
  const answers = { next: answer }
  Object.assign(page, {
    fetch: (path: string, init: RequestInit = {}) => {
      asked.push([init.method ?? 'GET', path, ...(typeof init.body === 'string' ? [JSON.parse(init.body)] : [])])
      const { status, headers = {} } = answers.next
      return Promise.resolve(new Response(null, { status, headers }))
    },
    // Vitest wraps what is imported late.
    __vitest_browser_runner__: Reflect.get(window, '__vitest_browser_runner__') as unknown,
    ...(shell && { sidestage: { shell: 'electron', ...shell } }),
  })
  page.document.body.innerHTML = '<div id="app"></div>'
  const script = page.document.createElement('script')
  script.type = 'module'
  script.src = '/renderer/main.ts'
  page.document.head.append(script)
  await expect.poll(() => page.document.querySelector('#app > *'), { timeout: 50_000 }).not.toBeNull()
  return {
    page,
    asked,
    answers,
    text: () => page.document.body.textContent ?? '',
    /** Runs within the page, as what the shell put there. */
    run: (code: string): void => {
      const inner = page.document.createElement('script')
      inner.textContent = code
      page.document.head.append(inner)
    },
  }
}

describe('the page of the app', () => {
  it('asks for a session at once, and says what opens it without one', async () => {
    const { asked, text } = await open()
    expect(asked).toEqual([['GET', '/session']])
    await expect.poll(text).toContain(en.line.unauthorizedTitle)
  })

  it.each(['sidestage.language', 'sidestage.seat.language'])(
    'begins in the language that was chosen here before, which is not that of the browser: %s',
    async (key) => {
      const before = { ...localStorage }
      localStorage.setItem(key, 'zh')
      onTestFinished(() => {
        localStorage.clear()
        for (const [name, value] of Object.entries(before)) localStorage.setItem(name, value)
      })
      const { page, text } = await open()
      expect(page.document.documentElement.lang).toBe('zh-CN')
      await expect.poll(text).toContain(spoken(frameWords, 'zh').line.unauthorizedTitle)
    },
  )

  it('tries again when the network is back and when it is seen again, not when it is hidden', async () => {
    const { asked, page, text } = await open()
    await expect.poll(text).toContain(en.line.unauthorizedTitle)
    page.dispatchEvent(new Event('online'))
    await expect.poll(() => asked.length).toBe(2)
    let isHidden = true
    Object.defineProperty(page.document, 'hidden', { get: () => isHidden })
    page.document.dispatchEvent(new Event('visibilitychange'))
    // What it would ask for would be asked by then.
    await new Promise((done) => setTimeout(done, 20))
    expect(asked).toHaveLength(2)
    isHidden = false
    page.document.dispatchEvent(new Event('visibilitychange'))
    await expect.poll(() => asked.length).toBe(3)
  })

  it('takes the token out of its address, also before it shows a screen', async () => {
    const { asked, page } = await open({ address: '#token=abcDEF0123' })
    expect(asked).toEqual([
      ['POST', '/session', { token: 'abcDEF0123' }],
      ['GET', '/session'],
    ])
    await expect.poll(() => page.location.hash).toBe('#/channels')
  })

  it('is that of a moderator where people sign in with an account, with the code of its address', async () => {
    const { page, text } = await open({
      address: '#code=abcDEF0123',
      answer: { status: 401, headers: { 'sidestage-door': 'account' } },
    })
    await expect.poll(text).toContain(seatPage.signIn)
    const code = () => page.document.querySelector<HTMLInputElement>('input[name=code]')?.value
    await expect.poll(code).toBe('abcDEF0123')
    expect(page.location.hash).not.toContain('code')
    page.location.hash = '#code=another-code'
    await expect.poll(() => page.location.hash).not.toContain('code')
  })

  it('of a joined room signs in by the companion, and says why it is not let in', async () => {
    const id = '00000000000000aa'
    const { asked, text } = await open({
      address: `?joined=${id}`,
      answer: { status: 502, headers: { 'sidestage-trouble': 'changed' } },
    })
    expect(asked).toEqual([['GET', `/joined/${id}/session`]])
    await expect.poll(text).toContain(joining.trouble.changed.title)
  })
})

describe('the page of the app in the desktop shell', () => {
  const show = (screen: object): string =>
    `window.postMessage(${JSON.stringify({ type: 'sidestage:show', screen })}, location.origin)`

  it('connects over the shell, and shows the screen that it asks for, with its profile and channel', async () => {
    let connected = 0
    const { asked, page, run } = await open({ shell: { connect: () => (connected += 1) } })
    expect([connected, asked]).toEqual([1, []])
    const cid = 'a'.repeat(32)
    run(show({ route: `/studio/${cid}`, profileId: 'hosted-1' }))
    await expect.poll(() => page.location.hash).toBe(`#/studio/${cid}`)
    expect([localStorage.getItem('sidestage.opened'), localStorage.getItem('sidestage.profile')]).toEqual([
      cid,
      'hosted-1',
    ])
    run(show({ route: '/join', profileId: null }))
    await expect.poll(() => page.location.hash).toBe('#/join')
    expect(localStorage.getItem('sidestage.profile')).toBe('hosted-1')
  })
})
