import { afterEach, expect, it, vi } from 'vitest'

afterEach(() => {
  vi.unstubAllGlobals()
  vi.resetModules()
})
interface Around {
  readonly ancestorOrigins?: readonly string[]
  readonly referrer?: string
  /** Frames around this one. */
  readonly depth?: number
}
async function at(pathname: string, search = '', protocol = 'http:', around: Around = {}) {
  const { ancestorOrigins, referrer = '', depth = 0 } = around
  const origin = 'https://live.example'
  vi.stubGlobal('location', { pathname, search, protocol, origin, ...(ancestorOrigins && { ancestorOrigins }) })
  const top = {}
  const own = { isSecureContext: protocol === 'https:' }
  const parent = depth === 0 ? own : depth === 1 ? top : {}
  vi.stubGlobal('window', Object.assign(own, { self: own, parent, top: depth === 0 ? own : top }))
  vi.stubGlobal('document', { referrer })
  vi.resetModules()
  const [embed, place] = [await import('./embed.ts'), await import('./place.ts')]
  return { embed, place, part: embed.embedOf(location) }
}

it.each([
  ['/watch/abc', '', undefined],
  ['/embed/abc', '', 'both'],
  ['/embed/abc', '?show=both', 'both'],
  ['/embed/abc', '?show=picture', 'picture'],
  ['/embed/abc', '?show=chat', 'chat'],
  ['/embed/abc', '?show=else', 'both'],
  ['/studio/embed/abc', '?show=chat', 'chat'],
  ['/embed/watch/abc', '', undefined],
])('reads what a frame shows from %s%s', async (pathname, search, part) => {
  expect((await at(pathname, search)).part).toBe(part)
})

it('waits for a show with a page of its own only, not in a frame', async () => {
  const may = async (...where: Parameters<typeof at>): Promise<boolean> => (await at(...where)).embed.mayWait()
  expect(await may('/watch/abc')).toBe(true)
  expect(await may('/embed/abc', '', 'https:')).toBe(true)
  expect(await may('/embed/abc', '', 'https:', { depth: 1 })).toBe(false)
})

it('keeps what a proxy puts before the path in every address', async () => {
  const { embed, place } = await at('/studio/embed/abc')
  expect([place.root, place.channel]).toEqual(['/studio', 'abc'])
  expect([embed.wholePage, embed.chatPage]).toEqual(['/studio/watch/abc', '/studio/embed/abc?show=chat'])
})

it.each([
  ['https:', /SameSite=None; Secure; Partitioned/],
  ['http:', /SameSite=Lax/],
])('tries with a cookie whether the browser keeps one: %s', async (protocol, kind) => {
  const { embed } = await at('/embed/abc', '', protocol)
  const written: string[] = []
  const page = (keeps: boolean) => ({
    get cookie() {
      return keeps ? 'other=2; sidestage-probe=1' : 'other=2'
    },
    set cookie(text: string) {
      written.push(text)
    },
  })
  expect([embed.keepsCookies(page(true)), embed.keepsCookies(page(false))]).toEqual([true, false])
  expect(written[0]).toMatch(kind)
  // Nothing of it stays.
  expect(written[1]).toContain('Max-Age=0')
})

const queryOf = async (pathname: string, search: string, around?: Around): Promise<Record<string, string>> =>
  Object.fromEntries(new URLSearchParams((await at(pathname, search, 'https:', around)).embed.stateQuery()))

it.each<[string, string, string, Around, Record<string, string>]>([
  ['nothing of the page itself', '/watch/abc', '', {}, {}],
  ['that a window has the chat alone', '/embed/abc', '?show=chat', {}, { show: 'chat' }],
  [
    'the pages around a frame',
    '/embed/abc',
    '?show=picture',
    { depth: 2, ancestorOrigins: ['https://a.example', 'https://b.example'] },
    { framed: '1', around: 'https://a.example https://b.example' },
  ],
  [
    'the page that opened a frame, where the browser has no list',
    '/embed/abc',
    '?show=chat',
    { depth: 1, referrer: 'https://a.example/lesson?3' },
    { framed: '1', around: 'https://a.example', show: 'chat' },
  ],
  ['no page where that is not known', '/embed/abc', '', { depth: 1 }, { framed: '1' }],
  ['nor in a frame of a frame', '/embed/abc', '', { depth: 2, referrer: 'https://a.example/' }, { framed: '1' }],
  [
    'nor after it was opened from itself',
    '/embed/abc',
    '',
    { depth: 1, referrer: 'https://live.example/embed/abc' },
    { framed: '1' },
  ],
])('tells the service %s', async (_what, pathname, search, around, query) => {
  expect(await queryOf(pathname, search, around)).toEqual(query)
})
