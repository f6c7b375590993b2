import { describe, expect, it } from 'vitest'
import { page } from 'vitest/browser'
import { spoken } from '../../format/languages.ts'
import { failed, type Answers } from '../../testing/memory-client.ts'
import { began, mounted, starting, withProps } from '../../testing/mounted.ts'
import ShareSheet from './share-sheet.vue'
import type { ChannelAccess, NamedLink, Reach, Visit, WatchLimits } from './share.ts'
import { shareWords } from './words.ts'

const { share: words } = spoken(shareWords, 'en')
const cid = 'a'.repeat(32)
const on = { profileId: 'local', cid }
const link: NamedLink = {
  linkId: 3,
  name: 'Mum',
  ending: 'x7Qz',
  created: began,
  viewers: 2,
  lastUsed: began,
  lastUsedBy: 'Safari on iPad',
}
const usualAccess: ChannelAccess = {
  mode: 'everybody',
  closed: false,
  passphrase: false,
  embedOrigins: [],
  viewers: 5,
  links: [],
}
const usualReach: Reach = {
  reach: 'computer',
  rtmp: false,
  url: 'http://127.0.0.1:8711',
  results: [
    { reach: 'computer', state: 'works' },
    { reach: 'home', state: 'closed' },
    { reach: 'port', state: 'fault', reason: 'portClosed' },
    { reach: 'proxy', state: 'unchecked' },
  ],
  doors: [],
  encryption: 'none',
  proxies: [],
  fixed: [],
}
const limits: WatchLimits = {
  maxViewers: 0,
  maxKbps: 0,
  maxGigabytes: 100,
  viewers: 5,
  kbps: 12_000,
  monthBytes: 95e9,
  waiting: 2,
}

async function show({
  access = {},
  reach = {},
  visits = [],
  answers = {},
}: {
  access?: Partial<ChannelAccess>
  reach?: Partial<Reach>
  visits?: readonly Visit[]
  answers?: Answers
} = {}) {
  const state = { access: { ...usualAccess, ...access }, reach: { ...usualReach, ...reach } }
  const shown = await mounted(withProps(ShareSheet, { open: true, on, name: 'Night Radio' }), {
    answers: {
      'operations.access.access': () => ({ ret: state.access }),
      'operations.access.watchLimits': () => ({ ret: limits }),
      'operations.access.schedule': () => ({ ret: {} }),
      'operations.reach.reach': () => ({ ret: state.reach }),
      'operations.reach.visits': () => ({ ret: { list: [...visits] } }),
      ...answers,
    },
  })
  await expect.element(page.getByText(words.link.title)).toBeVisible()
  await shown.pass(1)
  return { ...shown, state }
}
const asked = (shown: Awaited<ReturnType<typeof show>>, path: string): unknown[] =>
  shown.client.calls.filter((call) => call.path === path).map(({ input }) => input)

describe('the outcome at its head', () => {
  it('names who gets in and how far, and never says "from outside" without a report', async () => {
    await show({ reach: { reach: 'proxy', url: 'https://radio.example', encryption: 'vouched' } })
    await expect
      .element(page.getByText(`${words.head.everybody}, ${words.head.vouched}, ${words.head.unchecked}`))
      .toBeVisible()
  })

  it('tells who opened it from outside, and when', async () => {
    const visit: Visit = {
      visitId: 'v',
      state: 'done',
      expires: began,
      began,
      by: 'phone',
      outside: true,
      steps: [
        { name: 'address', state: 'passed', milliseconds: 41 },
        { name: 'flv', state: 'failed', reason: 'cutOff' },
      ],
    }
    await show({ reach: { reach: 'proxy', url: 'https://radio.example', encryption: 'vouched' }, visits: [visit] })
    await expect.element(page.getByText(/opened from outside at .* by a phone/)).toBeVisible()
    await expect.element(page.getByText(words.visit.cutOff)).toBeVisible()
  })
})

it('tells what is wrong with each way that does not work, in its own row', async () => {
  await show()
  const row = (way: string) => page.getByRole('radio', { name: starting(way) })
  await expect.element(row(words.reach.port).getByText(words.why.portClosed)).toBeVisible()
  await expect.element(row(words.reach.proxy).getByText(words.reach.unchecked)).toBeVisible()
})

it('opens the home network at the press of its row', async () => {
  const shown = await show({
    answers: { 'operations.reach.updateReach': () => ({ ret: { ...usualReach, reach: 'home' } }) },
  })
  await page.getByRole('radio', { name: starting(words.reach.home) }).click()
  await expect.element(page.getByRole('radio', { name: starting(words.reach.home) })).toBeChecked()
  expect(asked(shown, 'operations.reach.updateReach')).toEqual([{ profileId: 'local', call: { reach: 'home' } }])
})

it('asks for a passphrase before it lets in only those who have it', async () => {
  const shown = await show({ answers: { 'access.update': () => ({ ended: 0 }) } })
  await page.getByRole('button', { name: words.entry.passphrase }).click()
  expect(asked(shown, 'access.update')).toEqual([])
  await page.getByLabelText(words.entry.word).fill('abc')
  await expect.element(page.getByText(words.entry.strength.short)).toBeVisible()
  await page.getByLabelText(words.entry.word).fill('lamp and harbour')
  await page.getByRole('button', { name: words.entry.save }).click()
  await expect
    .poll(() => asked(shown, 'access.update'))
    .toEqual([{ ...on, mode: 'passphrase', passphrase: 'lamp and harbour' }])
})

it('revokes a named link after a question, and undoes it', async () => {
  const shown = await show({
    access: { links: [link] },
    answers: {
      'operations.access.revokeNamedLink': () => {
        shown.state.access = { ...usualAccess, links: [{ ...link, revoked: began, ended: 2 }] }
        return { ret: { ended: 2 } }
      },
      'operations.access.restoreNamedLink': () => ({}),
    },
  })
  await page.getByRole('button', { name: words.named.revoke }).click()
  expect(asked(shown, 'operations.access.revokeNamedLink')).toEqual([])
  await page.getByRole('button', { name: words.named.askAction, exact: true }).click()
  await page.getByRole('button', { name: words.named.undo }).click()
  await expect
    .poll(() => asked(shown, 'operations.access.restoreNamedLink'))
    .toEqual([{ profileId: 'local', call: { cid, linkId: 3 } }])
})

it('asks before it puts people out, and says when that fails', async () => {
  const shown = await show({
    answers: {
      'access.update': () => {
        throw failed({ kind: 'full' })
      },
    },
  })
  await page.getByRole('button', { name: words.off.action }).first().click()
  await expect.element(page.getByText(/5 players end at once/).last()).toBeVisible()
  await page.getByRole('button', { name: words.off.action }).last().click()
  await expect.poll(() => asked(shown, 'access.update')).toEqual([{ ...on, closed: true }])
  await expect.element(page.getByRole('alert').first()).toBeVisible()
})

it('is amber where the month is nearly used up', async () => {
  await show()
  await expect.element(page.getByRole('meter')).toHaveAttribute('aria-valuenow', '95')
  await expect.element(page.getByText(new RegExp(words.limits.nearly))).toBeVisible()
})

it('takes names of pages without a scheme as https, and nothing that is no origin', async () => {
  const shown = await show({ answers: { 'access.update': () => ({ ended: 0 }) } })
  await page.getByLabelText(words.embed.allowed).fill('not a/page')
  await expect.element(page.getByText(words.embed.fault)).toBeVisible()
  await page.getByLabelText(words.embed.allowed).fill('radio.example')
  await page.getByRole('button', { name: words.embed.save, exact: true }).first().click()
  await expect.poll(() => asked(shown, 'access.update')).toEqual([{ ...on, embedOrigins: ['https://radio.example'] }])
})

it('a named link tells its end and its limit, and that it is over', async () => {
  const over = { ...link, linkId: 2, name: 'Late', expires: began - 60_000 }
  await show({ access: { mode: 'links', links: [{ ...link, expires: began + 3_600_000, maxViewers: 3 }, over] } })
  const row = (name: string) => page.getByRole('row').filter({ hasText: name })
  await expect.element(row(link.name)).toMatchTextContent(/until \d\d:\d\d, 3 at once/)
  await expect.element(row('Late')).toMatchTextContent(/ended \d\d:\d\d/)
  expect(row('Late').getByRole('button', { name: words.named.revoke }).query()).toBeNull()
  await expect.element(page.getByText(words.link.alone)).toBeVisible()
})
