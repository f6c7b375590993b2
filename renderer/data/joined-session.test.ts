import { expect, it, onTestFinished, vi } from 'vitest'
import { Unauthorized, type AuthMethod } from './client.ts'
import { joinedAddress, joinedOf, mediaPaths } from './joined-address.ts'
import { createJoinedSession } from './joined-session.ts'

const id = 'ab'.repeat(8)

function stage(answer: () => { status: number; trouble?: string; retryAfter?: string }) {
  const calls: { path: string; method: string; body: unknown }[] = []
  const authMethods: AuthMethod[] = []
  const page = {
    fetch: (path: string, init?: RequestInit) => {
      calls.push({
        path,
        method: init?.method ?? 'GET',
        body: typeof init?.body === 'string' ? JSON.parse(init.body) : undefined,
      })
      const { status, trouble, retryAfter } = answer()
      const headers = {
        ...(trouble && { 'sidestage-trouble': trouble }),
        ...(retryAfter && { 'retry-after': retryAfter }),
      }
      return Promise.resolve(new Response(null, { status, headers }))
    },
  } as unknown as Window
  return {
    calls,
    authMethods,
    session: createJoinedSession(
      page,
      id,
      () => 1_000,
      (at) => authMethods.push(at),
    ),
  }
}
const open = (session: ReturnType<typeof stage>['session']) =>
  session.opener.open(() => undefined).catch((error: unknown) => error)

it('knows the page of a joined room by its address, and where its media are', () => {
  expect(joinedOf(joinedAddress(id).slice(1))).toBe(id)
  for (const search of [
    '',
    '?',
    '?joined=',
    `?joined=${id}x`,
    `?joined=${id.toUpperCase()}`,
    `?x=1&joined=${id}`,
    `?joined=../${id}`,
  ])
    expect(joinedOf(search)).toBeNull()
  const paths = { flv: '/media/t/c.flv', hls: null }
  expect(mediaPaths(paths, '')).toEqual(paths)
  expect(mediaPaths(paths, `?joined=${id}`)).toEqual({ flv: `/joined/${id}/media/t/c.flv`, hls: null })
})

it('asks a person where only a person helps, tries again where the other computer is away, and tells its own door apart', async () => {
  for (const trouble of ['changed', 'refused', 'token', 'notOurs', 'elsewhere', 'plain'] as const) {
    const { session, authMethods } = stage(() => ({ status: 401, trouble, retryAfter: '8' }))
    expect(await open(session)).toBeInstanceOf(Unauthorized)
    expect([session.trouble.value, authMethods]).toEqual([{ what: trouble, until: 9_000 }, ['account']])
  }
  const gone = stage(() => ({ status: 404 }))
  expect(await open(gone.session)).toBeInstanceOf(Unauthorized)
  expect(gone.session.trouble.value).toEqual({ what: 'gone', until: 1_000 })
  const away = stage(() => ({ status: 503, trouble: 'offline' }))
  const failed = await open(away.session)
  expect(failed).toBeInstanceOf(Error)
  expect(failed).not.toBeInstanceOf(Unauthorized)
  expect(away.session.trouble.value?.what).toBe('offline')
  // This app itself wants somebody signed in.
  const own = stage(() => ({ status: 401, trouble: 'whatever it is' }))
  expect(await open(own.session)).toMatchObject({ authMethod: 'link' })
  expect([own.session.trouble.value, own.authMethods]).toEqual([null, ['link']])
})

it('tries the kept token or another one, and says whether it is in', async () => {
  let status = 401
  const { calls, session } = stage(() => ({
    status,
    ...(status === 401 ? { trouble: 'refused', retryAfter: '99999' } : {}),
  }))
  expect(await session.enter()).toBe(false)
  expect(session.trouble.value).toEqual({ what: 'refused', until: 601_000 })
  status = 204
  expect(await session.enter({ token: 't', code: '' })).toBe(true)
  expect(await session.enter({ token: 't', code: 'c' })).toBe(true)
  expect(session.trouble.value).toBeNull()
  await session.leave()
  expect(await session.openLink('https://a.example/')).toBe(true)
  expect(calls).toEqual([
    { path: `/joined/${id}/session`, method: 'POST', body: {} },
    { path: `/joined/${id}/session`, method: 'POST', body: { token: 't' } },
    { path: `/joined/${id}/session`, method: 'POST', body: { token: 't', code: 'c' } },
    { path: `/joined/${id}/session`, method: 'DELETE', body: undefined },
    { path: `/joined/${id}/link`, method: 'POST', body: { url: 'https://a.example/' } },
  ])
})

it('goes over the port of the desktop shell, and over a socket of its own path in a browser', async () => {
  vi.useFakeTimers()
  onTestFinished(() => {
    vi.unstubAllGlobals()
    vi.useRealTimers()
  })
  const urls: string[] = []
  vi.stubGlobal(
    'WebSocket',
    class extends EventTarget {
      constructor(url: string | URL) {
        super()
        urls.push(String(url))
      }
      close(): void {
        // Nothing was opened.
      }
    },
  )
  const connected: unknown[] = []
  const pageOf = (more: object): Window =>
    Object.assign(new EventTarget(), {
      location: { href: 'http://127.0.0.1:8700/' },
      fetch: () => Promise.resolve(new Response(null, { status: 204 })),
      ...more,
    }) as unknown as Window
  const authMethods: AuthMethod[] = []
  for (const more of [{}, { sidestage: { connect: (joined: unknown) => connected.push(joined) } }]) {
    const session = createJoinedSession(
      pageOf(more),
      id,
      () => 1_000,
      (at) => authMethods.push(at),
    )
    const opening = open(session)
    await vi.advanceTimersByTimeAsync(5_000)
    expect(await opening).toMatchObject({ message: 'the companion did not answer' })
  }
  expect([urls, connected]).toEqual([[`ws://127.0.0.1:8700/joined/${id}/rpc`], [id]])
  expect(authMethods).toEqual(['account', 'account'])
})

it.each([
  [500, 'session answered 500'],
  [200, 'session answered 200'],
])('takes the answer %i for none, which is tried again', async (status, message) => {
  const { session, authMethods } = stage(() => ({ status }))
  const failed = await open(session)
  expect(failed).toMatchObject({ message })
  expect(failed).not.toBeInstanceOf(Unauthorized)
  expect([session.trouble.value, authMethods]).toEqual([null, ['account']])
})

it.each([
  ['-5', 1_000],
  ['soon', 1_000],
  ['600', 601_000],
  ['601', 601_000],
])('waits as long as it is told, at most ten minutes: %s', async (retryAfter, until) => {
  const { session } = stage(() => ({ status: 401, trouble: 'full', retryAfter }))
  expect(await open(session)).toMatchObject({ message: 'full', authMethod: 'account' })
  expect(session.trouble.value).toEqual({ what: 'full', until })
})

it('says that a link was not opened by the other computer', async () => {
  const { session } = stage(() => ({ status: 400 }))
  expect(await session.openLink('javascript:x')).toBe(false)
})
