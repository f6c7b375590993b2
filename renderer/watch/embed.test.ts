import { afterEach, expect, it, vi } from 'vitest'

afterEach(() => {
  vi.unstubAllGlobals()
  vi.resetModules()
})
async function at(pathname: string, search = '', protocol = 'http:') {
  vi.stubGlobal('location', { pathname, search, protocol })
  vi.stubGlobal('window', { isSecureContext: protocol === 'https:' })
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
