import { createPinia, setActivePinia } from 'pinia'
import { createApp } from 'vue'
import { expect, it, vi } from 'vitest'
import { readWebLink, type WebLink } from '../../contract/web-link.ts'
import type { RpcClient } from '../data/client.ts'
import { useAskedLink } from './asked-link.ts'
import { useCompanion } from '../data/companion.ts'
import { joinedSessionKey, type createJoinedSession } from '../data/joined-session.ts'
import { servicesKey } from '../data/services.ts'
import { useOutside } from './outside.ts'

const link = (text: string): WebLink => {
  const read = readWebLink(text)
  if (!read) throw new Error(`${text} is no link`)
  return read
}
function stage(openJoined?: (url: string) => Promise<boolean>) {
  const opened: string[] = []
  const state = { failing: false, hold: Promise.resolve() }
  const openLink = async ({ url }: { url: string }): Promise<void> => {
    opened.push(url)
    await state.hold
    if (state.failing) throw new Error('refused')
  }
  const app = createApp({})
  const pinia = createPinia()
  app.provide(servicesKey, {
    rpc: { app: { openLink } } as unknown as RpcClient,
    now: () => 0,
    memory: { read: () => null, write: () => undefined },
  })
  if (openJoined) app.provide(joinedSessionKey, { openLink: openJoined } as ReturnType<typeof createJoinedSession>)
  app.use(pinia)
  setActivePinia(pinia)
  const [asked, outside] = app.runWithContext(() => [useAskedLink(), useOutside()] as const)
  return { opened, state, asked, outside }
}

it('opens nothing before a yes, and then the address that was asked about, once', async () => {
  const { opened, state, asked } = stage()
  await asked.open()
  asked.ask(link('https://a.example/x'))
  asked.leave()
  await asked.open()
  expect(opened).toEqual([])
  asked.ask(link('https://例子.example/'))
  const held = Promise.withResolvers<void>()
  state.hold = held.promise
  const first = asked.open()
  await asked.open()
  expect(asked.busy).toBe(true)
  held.resolve()
  await first
  expect(opened).toEqual(['https://xn--fsqu00a.example/'])
  expect([asked.link, asked.busy]).toEqual([null, false])
})

it('says when it was not opened, and forgets that with the next one', async () => {
  const { opened, state, asked } = stage()
  state.failing = true
  asked.ask(link('https://a.example/'))
  await asked.open()
  expect(asked.failure).not.toBeNull()
  expect(asked.link?.href).toBe('https://a.example/')
  asked.ask(link('https://b.example/'))
  expect(asked.failure).toBeNull()
  state.failing = false
  await asked.open()
  expect(opened).toEqual(['https://a.example/', 'https://b.example/'])
  expect(asked.link).toBeNull()
})

it('opens a link in the browser that the page lies in, where a system without a browser of its own would do nothing', async () => {
  const open = vi.fn()
  vi.stubGlobal('window', { open })
  const { opened, asked } = stage()
  useCompanion().about = {
    version: '1',
    shell: 'browser',
    platform: '',
    capabilities: [],
    shellReason: null,
    seat: null,
  }
  asked.ask(link('https://a.example/x'))
  await asked.open()
  useCompanion().about = {
    version: '1',
    shell: 'electron',
    platform: '',
    capabilities: [],
    shellReason: null,
    seat: null,
  }
  asked.ask(link('https://b.example/y'))
  await asked.open()
  vi.unstubAllGlobals()
  expect(open.mock.calls).toEqual([['https://a.example/x', '_blank', 'noopener,noreferrer']])
  expect(opened).toEqual(['https://b.example/y'])
})

it('opens a link of a moderator in their own browser, which learns nothing of this page', async () => {
  const open = vi.fn()
  vi.stubGlobal('window', { open })
  const { opened, asked } = stage()
  const seat = { profileId: 'local', roomid: 7, cid: null, accid: 'mei', name: 'Mei' }
  useCompanion().about = { version: '1', shell: 'browser', platform: '', capabilities: [], shellReason: null, seat }
  asked.ask(link('https://a.example/x'))
  await asked.open()
  vi.unstubAllGlobals()
  expect(open.mock.calls).toEqual([['https://a.example/x', '_blank', 'noopener,noreferrer']])
  expect([opened, asked.link]).toEqual([[], null])
})

it('has a link of a joined room opened by the companion of this computer, and says when it was not', async () => {
  const open = vi.fn()
  vi.stubGlobal('window', { open })
  const asked: string[] = []
  let isOpened = false
  const others = stage((url) => {
    asked.push(url)
    return Promise.resolve(isOpened)
  })
  others.asked.ask(link('https://a.example/x'))
  await others.asked.open()
  expect(others.asked.failure?.detail).toBe('Error: the system did not open it')
  expect(others.asked.link?.href).toBe('https://a.example/x')
  isOpened = true
  await others.asked.open()
  vi.unstubAllGlobals()
  expect(asked).toEqual(['https://a.example/x', 'https://a.example/x'])
  expect([others.opened, open.mock.calls, others.asked.link, others.asked.failure]).toEqual([[], [], null, null])
})

it('has the companion refuse what is no address of the web, also in a browser', async () => {
  const open = vi.fn()
  vi.stubGlobal('window', { open })
  const { opened, outside } = stage()
  useCompanion().about = {
    version: '1',
    shell: 'browser',
    platform: '',
    capabilities: [],
    shellReason: null,
    seat: null,
  }
  await outside.open('file:///etc/passwd')
  vi.unstubAllGlobals()
  expect([open.mock.calls, opened]).toEqual([[], ['file:///etc/passwd']])
})
