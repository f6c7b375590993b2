import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { h } from 'vue'
import { spoken } from '../../format/languages.ts'
import { began, mounted, starting } from '../../testing/mounted.ts'
import { sheetAnswers, usualAccess, usualReach } from '../../testing/share-values.ts'
import type { GoLiveFacts, GoLiveLine } from '../studio/go-live-facts.ts'
import { shareLine } from '../studio/go-live-outside.ts'
import type { Way } from './reach-choice.ts'
import { reachReasons } from './reach-reasons.ts'
import ShareSheet from './share-sheet.vue'
import type { NamedLink, Reach } from './share.ts'
import { useWatchLink, type WatchLink } from './watch-link.ts'
import { shareWords } from './words.ts'

const { share: words } = spoken(shareWords, 'en')
const cid = 'a'.repeat(32)
const on = { profileId: 'local', cid }
const link: NamedLink = { linkId: 3, name: 'Mum', ending: 'x7Qz', created: began, viewers: 0 }
const at = 'https://live.example.com:8443'
const door = { name: 'media', host: '::', port: 8443, tls: true }
/** Each reach as it is where all is well. */
const good: Readonly<Record<Way, Partial<Reach>>> = {
  computer: {},
  home: { url: 'http://192.168.1.20:8711', doors: [{ ...door, host: '192.168.1.20', port: 8711, tls: false }] },
  port: { url: at, publicUrl: at, doors: [door], encryption: 'vouched' },
  proxy: { url: 'https://radio.example', publicUrl: 'https://radio.example', encryption: 'vouched' },
}
const reachOf = (reach: Way, change: Partial<Reach>): Reach => ({ ...usualReach, ...good[reach], reach, ...change })
const failing = (reach: Way, reason: string, change: Partial<Reach> = {}): Reach =>
  reachOf(reach, { results: [{ reach, state: 'fault', reason }], ...change })

/** Each place that gives the link or says why there is none. */
async function places(reach: Reach) {
  const written = vi.spyOn(navigator.clipboard, 'writeText').mockResolvedValue()
  onTestFinished(() => written.mockRestore())
  let ask: ReturnType<typeof useWatchLink> | undefined
  await mounted(
    {
      setup() {
        ask = useWatchLink()
        return () => h(ShareSheet, { open: true, on, name: 'Night Radio' })
      },
    },
    {
      answers: sheetAnswers({ links: [link] }, reach),
    },
  )
  await expect.element(page.getByText(words.link.title)).toBeVisible()
  const access = { ...usualAccess, links: [link] }
  const facts = {
    share: { value: { access, reach } },
    local: true,
    extended: true,
    now: began,
  } as unknown as GoLiveFacts
  return { written, head: page.getByRole('banner'), copied: await ask!(on), line: shareLine(facts) }
}
const offers = () => [
  page.getByRole('button', { name: words.link.copy, exact: true }),
  page.getByLabelText(words.link.qr),
  page.getByText(/<iframe/),
  page.getByRole('button', { name: words.named.copy.replace('{name}', 'Mum') }),
  page.getByText(/\/watch\//),
]
const row = (way: Way) => page.getByRole('radio', { name: starting(words.reach[way]) })

const taken = { doors: [] }
const faults: readonly (readonly [Way, string, Reach])[] = [
  ['computer', 'portClosed', failing('computer', 'portClosed')],
  ['home', 'noAddress', failing('home', 'noAddress', { doors: [], url: usualReach.url })],
  ['home', 'portClosed', failing('home', 'portClosed')],
  ['home', 'taken', failing('home', 'taken', taken)],
  ['home', 'denied', failing('home', 'denied', taken)],
  ['port', 'noCertificate', failing('port', 'noCertificate', taken)],
  ['port', 'certificate', failing('port', 'certificate', taken)],
  ['port', 'taken', failing('port', 'taken', taken)],
  ['port', 'ownPort', failing('port', 'ownPort', taken)],
  ['port', 'denied', failing('port', 'denied', taken)],
  ['port', 'portClosed', failing('port', 'portClosed')],
  ['port', 'name', failing('port', 'name')],
  ['port', 'noMapping', failing('port', 'noMapping', { mapping: { state: 'failed' } })],
  ['port', 'noRouter', failing('port', 'noRouter', { mapping: { state: 'failed' } })],
  ['port', 'noPublicAddress', failing('port', 'noPublicAddress', { mapping: { state: 'failed' } })],
  ['port', 'noPublicUrl', failing('port', 'noPublicUrl', { url: 'https://192.168.1.20:8443' })],
  ['proxy', 'noPublicUrl', { ...failing('proxy', 'noPublicUrl'), publicUrl: undefined, url: usualReach.url } as never],
  ['proxy', 'name', failing('proxy', 'name')],
  ['proxy', 'proxyAbsent', failing('proxy', 'proxyAbsent')],
  ['proxy', 'certificate', failing('proxy', 'certificate', { encryption: 'unvouched' })],
  ['proxy', 'certificateName', failing('proxy', 'certificateName', { encryption: 'unvouched' })],
  ['proxy', 'certificateAuthority', failing('proxy', 'certificateAuthority', { encryption: 'unvouched' })],
  ['proxy', 'taken', failing('proxy', 'taken')],
  ['proxy', 'denied', failing('proxy', 'denied')],
  ['port', 'other', failing('port', 'of another service')],
]

describe('a reach that does not work', () => {
  it.each(faults)('%s, %s: no place offers a link, and each says why', async (way, reason, reach) => {
    const why = words.why[reason as keyof typeof words.why]
    const { written, head, copied, line } = await places(reach)
    const missing = words.link.missing.replace('{why}', why)
    await expect.element(row(way).getByText(why)).toBeVisible()
    await expect.element(page.getByText(missing)).toBeVisible()
    await expect.element(head).toMatchTextContent(`${words.head.everybody}, ${why}`)
    for (const offered of offers()) expect(offered.query()).toBeNull()
    await userEvent.keyboard('{Control>}l{/Control}')
    expect(written).not.toHaveBeenCalled()
    expect(copied).toEqual<WatchLink>({ why: missing })
    const cause = reason === 'other' ? 'goLive.share.unsaid' : `share.why.${reason}`
    expect(line).toMatchObject<Partial<GoLiveLine>>({ state: 'fault', says: `share.fault_${way}`, cause })
  })

  it('is tried for each reason that there is', () => {
    expect(new Set(faults.map(([, reason]) => reason))).toEqual(new Set([...reachReasons, 'other']))
  })
})

const works = (reach: Way): Reach => reachOf(reach, { results: [{ reach, state: 'works' }] })
it.each<[Way, string, Reach]>([
  ['computer', 'works', works('computer')],
  ['home', 'works', works('home')],
  ['port', 'works', works('port')],
  ['port', 'works, whatever the router said', { ...works('port'), mapping: { state: 'failed' } }],
  ['port', 'unchecked', reachOf('port', { results: [{ reach: 'port', state: 'unchecked', url: at }] })],
  ['proxy', 'works', works('proxy')],
])('a reach that may work, %s, %s: each place gives the link', async (_way, state, reach) => {
  const { written, copied, line } = await places(reach)
  const url = `${reach.url}/watch/${cid}`
  for (const offered of offers()) await expect.element(offered.first()).toBeVisible()
  await userEvent.keyboard('{Control>}l{/Control}')
  await expect.poll(() => written.mock.calls).toEqual([[url]])
  expect(copied).toEqual<WatchLink>({ url })
  expect(line.state).toBe(state === 'unchecked' ? 'warn' : 'ok')
})

it('a reach that is being measured has no link in any place, and no place calls it a fault', async () => {
  const { written, copied, line } = await places(
    reachOf('port', { results: [{ reach: 'port', state: 'unchecked' }], measuring: true }),
  )
  await expect.element(page.getByText(words.link.measuring)).toBeVisible()
  for (const offered of offers()) expect(offered.query()).toBeNull()
  await userEvent.keyboard('{Control>}l{/Control}')
  expect(written).not.toHaveBeenCalled()
  expect(copied).toEqual<WatchLink>({ why: words.link.measuring })
  expect(line).toMatchObject({ state: 'warn', says: 'share.measuring' })
})

it.each([
  ['[fd00::2]', 'unchecked'],
  ['[fe80::1]', 'unchecked'],
  ['192.168.1.20', 'unchecked'],
  ['100.64.0.1', 'works'],
  ['127.0.0.1', 'unchecked'],
])('the address %s is never the link to the internet, whatever is told of the way: %s', async (host, state) => {
  const url = `https://${host}:8443`
  const results = [{ reach: 'port', state, url }]
  const { written, copied } = await places(reachOf('port', { url, publicUrl: undefined, results } as never))
  const missing = words.link.missing.replace('{why}', words.why.noPublicUrl)
  await expect.element(page.getByText(missing)).toBeVisible()
  await expect.element(page.getByText(words.tls.unnamed)).toBeVisible()
  for (const offered of offers()) expect(offered.query()).toBeNull()
  await userEvent.keyboard('{Control>}l{/Control}')
  expect(written).not.toHaveBeenCalled()
  expect(copied).toEqual<WatchLink>({ why: missing })
})

const behind = (root: string): Reach =>
  reachOf('proxy', { url: root, publicUrl: root, results: [{ reach: 'proxy', state: 'works', url: root }] })
it.each(['http://127.0.0.1:22144', 'http://[::1]:22144', 'https://localhost', 'https://tv.localhost./live'])(
  'a proxy at %s is of this computer alone: no place gives the link, and the row says why',
  async (root) => {
    const { written, copied, line } = await places(behind(root))
    const missing = words.link.missing.replace('{why}', words.why.noPublicUrl)
    await expect.element(page.getByText(missing)).toBeVisible()
    await expect.element(row('proxy')).toMatchTextContent(words.near.computer)
    await expect.element(page.getByText(words.how.noPublicUrl)).toBeVisible()
    for (const offered of offers()) expect(offered.query()).toBeNull()
    await userEvent.keyboard('{Control>}l{/Control}')
    expect(written).not.toHaveBeenCalled()
    expect(copied).toEqual<WatchLink>({ why: missing })
    expect(line).toMatchObject<Partial<GoLiveLine>>({ state: 'fault', cause: 'share.why.noPublicUrl' })
  },
)

it.each(['http://192.168.1.5:8080', 'https://[fd00::2]', 'http://nas', 'https://pc.lan'])(
  'a proxy at %s is of this network alone: its link is given, with a warning',
  async (root) => {
    const { copied } = await places(behind(root))
    const told = row('proxy')
    await expect.element(told).toMatchTextContent(words.near.network)
    await expect.element(told).not.toMatchTextContent(words.reach.works)
    await expect.element(page.getByText(words.near.how)).toBeVisible()
    expect(copied).toEqual<WatchLink>({ url: `${root}/watch/${cid}` })
    for (const offered of offers()) await expect.element(offered.first()).toBeVisible()
  },
)

it('a proxy at an address of the internet has no such warning', async () => {
  await places(behind('https://radio.example'))
  const told = row('proxy')
  await expect.element(told).toMatchTextContent(words.reach.works)
  for (const said of [words.near.network, words.near.computer, words.near.how])
    expect(page.getByText(said).query()).toBeNull()
})
