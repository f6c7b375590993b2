import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { spoken } from '../../format/languages.ts'
import { failed, type Answers } from '../../testing/memory-client.ts'
import { began, mounted, starting, withProps } from '../../testing/mounted.ts'
import { useCompanion } from '../../data/companion.ts'
import { makeExtendedProfiles } from '../../testing/fake-state.ts'
import { usualAccess, usualReach } from '../../testing/share-values.ts'
import ShareSheet from './share-sheet.vue'
import type { ChannelAccess, NamedLink, Reach, Visit, WatchLimits } from './share.ts'
import { frameWords } from '../frame/words.ts'
import { shareWords } from './words.ts'

const { share: words } = spoken(shareWords, 'en')
const { unwritten, line } = spoken(frameWords, 'en')
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
const limits: WatchLimits = {
  maxViewers: 0,
  maxKbps: 0,
  maxGigabytes: 100,
  viewers: 5,
  kbps: 12_000,
  targetsKbps: 0,
  monthBytes: 95e9,
  waiting: 2,
}

async function show({
  access = {},
  reach = {},
  visits = [],
  answers = {},
  used = {},
  elsewhere = false,
}: {
  access?: Partial<ChannelAccess>
  reach?: Partial<Reach>
  visits?: readonly Visit[]
  answers?: Answers
  used?: Partial<WatchLimits>
  /** The service is an own one on another computer. */
  elsewhere?: boolean
} = {}) {
  const state = { access: { ...usualAccess, ...access }, reach: { ...usualReach, ...reach } }
  const shown = await mounted(withProps(ShareSheet, { open: true, on, name: 'Night Radio' }), {
    ...(elsewhere && { profile: 'hosted-1', profiles: makeExtendedProfiles() }),
    answers: {
      'operations.access.access': () => ({ ret: state.access }),
      'operations.access.watchLimits': () => ({ ret: { ...limits, ...used } }),
      'operations.access.schedule': () => ({ ret: {} }),
      'operations.reach.reach': () => ({ ret: state.reach }),
      'operations.reach.visits': () => ({ ret: { list: [...visits] } }),
      ...answers,
    },
  })
  await expect.element(page.getByRole('heading', { name: words.entry.title })).toBeVisible()
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

const earlier = { names: ['radio.example'], issuer: 'R11', expires: began + 80 * 86_400_000, vouched: true }
const absentFile = words.tls.absent.replace('{file}', '/etc/chain.pem')
it.each([
  [undefined, absentFile],
  [earlier, `${absentFile} ${words.tls.earlier}`],
])('tells which file of a certificate cannot be used, and whether an earlier one is', async (certificate, told) => {
  const certificateFault = { reason: 'absent', file: '/etc/chain.pem' }
  await show({ reach: { reach: 'port', certificateFault, ...(certificate && { certificate }) } })
  await expect.element(page.getByText(told, { exact: true })).toBeVisible()
  await expect.element(page.getByText(/1970/)).not.toBeInTheDocument()
})

it('behind a proxy asks for the public address that is missing, and fills in none', async () => {
  const results = [{ reach: 'proxy', state: 'fault', reason: 'noPublicUrl' }]
  await show({ reach: { reach: 'proxy', results } })
  await expect.element(page.getByText(words.how.noPublicUrl)).toBeVisible()
  await expect.element(page.getByLabelText(words.proxy.address)).toHaveValue('')
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
  const shown = await show({ access: { viewers: 0 }, answers: { 'access.update': () => ({ ended: 0 }) } })
  await page.getByRole('button', { name: words.entry.passphrase }).click()
  expect(asked(shown, 'access.update')).toEqual([])
  // What is in force stays chosen until there is a passphrase.
  const mode = (name: string) => page.getByRole('button', { name, exact: true })
  await expect.element(mode(words.entry.everybody)).toHaveAttribute('aria-pressed', 'true')
  await expect.element(mode(words.entry.passphrase)).toHaveAttribute('aria-pressed', 'false')
  await expect.element(page.getByText(starting(words.entry.unset))).toBeVisible()
  await expect.element(page.getByLabelText(words.entry.word)).toHaveFocus()
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

describe('while anyone with the link gets in', () => {
  const gone = { ...link, linkId: 4, name: 'Gone', revoked: began, ended: 1 }
  const over = { ...link, linkId: 5, name: 'Late', expires: began - 60_000 }
  const ending = { ...link, expires: began + 3_600_000 }
  const row = (name: string) => page.getByRole('row').filter({ hasText: name })

  it('says that a revoked or ended link keeps nobody out, in the question and in the rows', async () => {
    await show({ access: { links: [ending, gone, over] } })
    await expect.element(row('Gone')).toMatchTextContent(words.named.stillIn)
    await expect.element(row('Late')).toMatchTextContent(words.named.stillIn)
    await expect.element(row('Mum')).toMatchTextContent(words.named.afterwards)
    await expect.element(page.getByText(words.named.noteOpen)).toBeVisible()
    await page.getByRole('button', { name: words.named.revoke }).click()
    await expect.element(page.getByRole('dialog').last()).toMatchTextContent(words.named.askTextOpen)
  })

  it('but not where only named links get in', async () => {
    await show({ access: { mode: 'links', links: [ending, gone, over] } })
    await expect.element(row('Gone')).toMatchTextContent(/players? (was|were) put out/)
    expect(page.getByText(words.named.stillIn).elements()).toHaveLength(0)
    expect(page.getByText(words.named.afterwards).elements()).toHaveLength(0)
    await page.getByRole('button', { name: words.named.revoke }).click()
    await expect.element(page.getByText('Its 2 players end at once. It can be undone.').last()).toBeVisible()
  })
})

it('asks about another reach in the singular where one person watches', async () => {
  await show({
    reach: { reach: 'home', doors: [{ name: 'media', host: 'h', port: 1, tls: false }] },
    used: { viewers: 1 },
  })
  await page.getByRole('radio', { name: starting(words.reach.computer) }).click()
  await expect.element(page.getByRole('dialog').last()).toMatchTextContent('Watching now, all channels together: 1.')
})

describe('a stricter mode', () => {
  const change = (shown: Awaited<ReturnType<typeof show>>) => asked(shown, 'access.update')
  const choice = (name: string) => page.getByRole('button', { name, exact: true })
  const answers = { 'access.update': () => ({ ended: 0 }) }

  it('is asked about with the number of those without a named link', async () => {
    const shown = await show({ access: { viewers: 3, links: [link] }, answers })
    await choice(words.entry.links).click()
    await expect.element(page.getByText(words.entry.askLinks.split(' | ')[0]!.replace('{n}', '1')).last()).toBeVisible()
    await expect.element(page.getByText('Change who gets in to “Only named links”?').last()).toBeVisible()
    expect(change(shown)).toEqual([])
    await page.getByRole('dialog').last().getByRole('button', { name: words.entry.askAction }).click()
    await expect.poll(() => change(shown)).toEqual([{ ...on, mode: 'links' }])
  })

  it('is not asked about where nobody is put out, and neither is one that lets more in', async () => {
    const shown = await show({ access: { viewers: 2, links: [link] }, answers })
    await choice(words.entry.links).click()
    await expect.poll(() => change(shown)).toEqual([{ ...on, mode: 'links' }])
    shown.state.access = { ...shown.state.access, mode: 'links', viewers: 9 }
    await shown.tell({ type: 'access', profileId: 'local', cid } as never)
    await choice(words.entry.everybody).click()
    await expect.poll(() => change(shown).at(-1)).toEqual({ ...on, mode: 'everybody' })
  })

  it('and so is a new passphrase', async () => {
    const shown = await show({ access: { mode: 'passphrase', passphrase: true, viewers: 2 }, answers })
    await page.getByLabelText(words.entry.word).fill('correct horse battery')
    await userEvent.keyboard('{Enter}')
    await expect.element(page.getByText(words.entry.askWord.split(' | ')[1]!.replace('{n}', '2')).last()).toBeVisible()
    expect(change(shown)).toEqual([])
  })
})

it('has the date of a link that was last used on another day', async () => {
  const before = began - 86_400_000
  const { pinia } = await show({ access: { links: [{ ...link, lastUsed: before, lastUsedBy: 'Safari' }] } })
  await expect.element(page.getByText(`${useCompanion(pinia).zone.date(before)}, Safari`)).toBeVisible()
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

it('says itself that what was taken back could not be saved: the note of the screen is behind it', async () => {
  const { tell } = await show({ access: { closed: true } })
  await tell({ type: 'owed', profileId: 'local', reason: 'full' })
  const sheet = page.getByRole('dialog', { name: words.title })
  await expect.element(sheet.getByText(unwritten.service)).toBeVisible()
  await expect.element(sheet.getByText(`${unwritten.full} ${unwritten.undone}`)).toBeVisible()
  await tell({ type: 'owed', profileId: 'local', reason: null })
  await expect.element(sheet.getByText(unwritten.service)).not.toBeInTheDocument()
})

it('says that the connection is lost and since when, and calls nothing that it showed known', async () => {
  const shown = await show()
  const sheet = page.getByRole('dialog', { name: words.title })
  const marks = () => sheet.element().querySelectorAll('svg.text-ok').length
  await expect.poll(marks).toBe(2)
  await shown.lose()
  await expect.element(sheet.getByText(words.head.notKnown)).toBeVisible()
  await expect.element(sheet.getByText(line.lostNext)).toBeVisible()
  expect(marks()).toBe(0)
})

it('calls nothing known that could not be read again', async () => {
  const shown = await show()
  shown.client.answer({
    'operations.access.watchLimits': () => {
      throw failed({ kind: 'unreachable' })
    },
  })
  await shown.tell({ type: 'access', profileId: 'local', cid })
  await expect.element(page.getByText(words.head.notKnown)).toBeVisible()
})

it('asks about somebody who came since it was read', async () => {
  const shown = await show({ access: { viewers: 0 } })
  shown.state.access = { ...shown.state.access, viewers: 1 }
  await page.getByRole('button', { name: words.off.action }).click()
  await expect.element(page.getByText(/1 player ends at once/).last()).toBeVisible()
  expect(asked(shown, 'access.update')).toEqual([])
})

it('turned off gives nothing away as if it worked', async () => {
  await show({ access: { closed: true, links: [link] } })
  await expect.element(page.getByText(words.link.offHere)).toBeVisible()
  await expect.element(page.getByText(words.embed.none)).toBeVisible()
  expect(page.getByText(/<iframe/).query()).toBeNull()
  for (const name of [words.named.copy, words.named.qr])
    expect(page.getByRole('button', { name: name.replace('{name}', 'Mum') }).query()).toBeNull()
  expect(page.getByRole('img', { name: words.link.qr }).query()).toBeNull()
  expect(page.getByRole('button', { name: words.link.copy, exact: true }).query()).toBeNull()
})

it('a link that was made has the focus at the button that copies it', async () => {
  const made = { ...link, linkId: 7, name: 'Ann' }
  const shown = await show({
    access: { links: [link] },
    answers: {
      'access.addLink': () => {
        shown.state.access = { ...shown.state.access, links: [link, made] }
        return { linkId: 7, url: 'http://127.0.0.1:8711/watch/x?k=y' }
      },
    },
  })
  await page.getByRole('button', { name: new RegExp(words.named.new) }).click()
  await page.getByLabelText(words.named.name).fill('Ann')
  await page.getByRole('button', { name: words.named.make }).click()
  await expect.element(page.getByRole('button', { name: words.named.copy.replace('{name}', 'Ann') })).toHaveFocus()
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

describe('only named links', () => {
  it('leave no link, code or key for everybody, which alone opens nothing', async () => {
    const written = vi.spyOn(navigator.clipboard, 'writeText').mockResolvedValue()
    onTestFinished(() => written.mockRestore())
    const answers: Answers = { 'access.linkAddress': () => ({ url: 'http://named' }) }
    const shown = await show({ access: { mode: 'links', links: [link] }, answers })
    await expect.element(page.getByText(words.link.noTitle, { exact: true })).toBeVisible()
    for (const offered of [
      page.getByLabelText(words.link.qr),
      page.getByRole('button', { name: words.link.copy, exact: true }),
      page.getByRole('button', { name: words.link.large }),
      page.getByText(`${usualReach.url}/watch/${cid}`),
    ])
      expect(offered.query()).toBeNull()
    await expect.element(page.getByText(words.embed.linksButHere)).toBeVisible()
    await expect.element(page.getByText(/<iframe/)).toBeVisible()
    ;(document.activeElement as HTMLElement).blur()
    await userEvent.keyboard('{Control>}l{/Control}')
    const why = words.link.refusedFor.replace('{why}', words.link.alone)
    await expect.element(page.getByText(why)).toBeVisible()
    expect(written).not.toHaveBeenCalled()
    // A link of the list is given away as ever.
    await page.getByRole('button', { name: words.named.copy.replace('{name}', link.name) }).click()
    await expect.poll(() => written.mock.calls).toEqual([['http://named']])
    shown.state.access = { ...shown.state.access, mode: 'everybody' }
    await shown.tell({ type: 'access', profileId: 'local', cid } as never)
    await expect.element(page.getByRole('button', { name: words.link.copy, exact: true })).toBeVisible()
    for (const gone of [page.getByText(why), page.getByText(words.embed.linksButHere)])
      await expect.element(gone).not.toBeInTheDocument()
  })

  it.each([
    ['there is none', []],
    [
      'all are revoked or have ended',
      [
        { ...link, revoked: began },
        { ...link, linkId: 2, expires: began - 1 },
      ],
    ],
  ])('warn at the head with the reason where %s', async (_case, links) => {
    await show({ access: { mode: 'links', links } })
    await expect.element(page.getByRole('banner')).toMatchTextContent(words.head.noLinks)
  })

  it('name the column of the last letters of a link for what it has', async () => {
    await show({ access: { mode: 'links', links: [link] } })
    await expect.element(page.getByText('Last letters')).toBeVisible()
    expect(page.getByText(words.head.noLinks).query()).toBeNull()
  })
})

describe('this computer', () => {
  it.each<[Reach['reach'], boolean]>([
    ['computer', true],
    ['home', true],
    ['home', false],
    ['port', true],
    ['proxy', true],
    ['proxy', false],
  ])('that is let in whatever is set is named where that is so: %s, %s', async (reach, isFree) => {
    const url = isFree ? usualReach.url : 'https://radio.example'
    await show({ access: { closed: true }, reach: { reach, url, freeHere: isFree }, used: { viewers: 1 } })
    const head = page.getByRole('banner')
    await expect.element(head).toMatchTextContent(words.head.closed)
    await expect.element(page.getByText(isFree ? words.link.offHere : words.link.off)).toBeVisible()
    expect(head.element().textContent.includes(words.head.butHere)).toBe(isFree)
    const counted = page.getByText(/^1 watching/)
    await expect.element(counted).toBeVisible()
    expect(counted.element().textContent.includes('this computer not counted')).toBe(isFree)
  })

  const home: Partial<Reach> = { reach: 'home', url: 'http://192.168.1.5:8711' }
  it.each<[ChannelAccess['mode'], Partial<Reach>, boolean]>([
    ['everybody', {}, false],
    ['passphrase', {}, true],
    ['links', {}, true],
    ['links', home, true],
    ['links', { ...home, freeHere: false }, false],
  ])('needs no link or passphrase, which is said where it is so: %s, %o', async (mode, reach, isSaid) => {
    await show({ access: { mode }, reach })
    expect(page.getByText(words.entry.butHere).elements()).toHaveLength(isSaid ? 1 : 0)
    if (mode !== 'links') return
    // The code has the address for others, at which this computer is asked as they are.
    const code = reach === home || reach.freeHere === false ? words.embed.links : words.embed.linksButHere
    await expect.element(page.getByText(code, { exact: true })).toBeVisible()
  })

  it.each<[string, Parameters<typeof show>[0] & object, readonly string[]]>([
    [
      'that gets in alone',
      { access: { mode: 'links' } },
      [words.head.computerThere, words.entry.butThere, words.embed.linksButThere],
    ],
    [
      'that watches on',
      { access: { closed: true, viewers: 1 }, used: { viewers: 1 } },
      [words.head.butThere, words.link.offThere, 'the computer of the service not counted'],
    ],
    [
      'whose way does not work',
      { reach: { results: [{ reach: 'computer', state: 'fault', reason: 'taken' }] } },
      [words.link.missingThere.replace('{why}', words.why.taken)],
    ],
    [
      'at a proxy of its own network',
      {
        reach: {
          reach: 'proxy',
          url: 'http://192.168.1.5',
          publicUrl: 'http://192.168.1.5',
          encryption: 'none',
          results: [{ reach: 'proxy', state: 'works' }],
        },
      },
      [words.near.networkThere],
    ],
  ])('is not named for the one of a service elsewhere, %s', async (_what, what, said) => {
    await show({ ...what, elsewhere: true })
    const sheet = page.getByRole('dialog')
    await expect.element(sheet.getByText(words.reach.elsewhere)).toBeVisible()
    for (const each of said) await expect.element(sheet.getByText(each, { exact: false }).first()).toBeVisible()
    expect(sheet.element().textContent).not.toMatch(/this computer|How far it reaches/i)
  })

  it('is said to watch on before the channel is turned off', async () => {
    await show({ access: { viewers: 1 } })
    await page.getByRole('button', { name: words.off.action, exact: true }).click()
    await expect.element(page.getByText(words.off.butHere, { exact: false }).last()).toBeVisible()
  })
})

describe('by the keyboard', () => {
  it('N opens the form of a new link, and Ctrl+L copies the link for everybody, but not in a field', async () => {
    const written = vi.spyOn(navigator.clipboard, 'writeText').mockResolvedValue()
    onTestFinished(() => written.mockRestore())
    await show()
    await page.getByLabelText(words.embed.allowed).click()
    await userEvent.keyboard('n')
    expect(page.getByText(words.named.newTitle).query()).toBeNull()
    page.getByRole('button', { name: words.link.copy }).element().focus()
    await userEvent.keyboard('{Control>}l{/Control}')
    await expect.poll(() => written.mock.calls).toEqual([[`${usualReach.url}/watch/${cid}`]])
    await expect.element(page.getByText(words.link.copiedWhole)).toBeVisible()
    await userEvent.keyboard('n')
    await expect.element(page.getByText(words.named.newTitle)).toBeVisible()
    // The keys are those of the dialog above.
    page.getByRole('button', { name: 'Cancel' }).element().focus()
    await userEvent.keyboard('{Control>}l{/Control}')
    expect(written.mock.calls).toHaveLength(1)
  })

  it('Delete in the row of a link asks whether to revoke it', async () => {
    const shown = await show({ access: { links: [link, { ...link, linkId: 2, name: 'Late', revoked: began }] } })
    const remove = page.getByRole('button', { name: words.named.remove.replace('{name}', 'Late') })
    remove.element().focus()
    await userEvent.keyboard('{Delete}')
    expect(page.getByRole('dialog').elements()).toHaveLength(1)
    page
      .getByRole('button', { name: words.named.copy.replace('{name}', 'Mum') })
      .element()
      .focus()
    await userEvent.keyboard('{Delete}')
    await expect.element(page.getByText(words.named.askTitle.replace('{name}', 'Mum'))).toBeVisible()
    expect(asked(shown, 'operations.access.revokeNamedLink')).toEqual([])
  })

  it('arrows move along the ways that it reaches, and Enter chooses one', async () => {
    const shown = await show({
      answers: { 'operations.reach.updateReach': ({ call }) => ({ ret: { ...usualReach, reach: call.reach ?? '' } }) },
    })
    const way = (name: string) => page.getByRole('radio', { name: starting(name) })
    way(words.reach.computer).element().focus()
    await userEvent.keyboard('{ArrowDown}{ArrowDown}{ArrowDown}')
    await expect.element(way(words.reach.proxy)).toHaveFocus()
    await expect.element(way(words.reach.computer)).toBeChecked()
    expect(asked(shown, 'operations.reach.updateReach')).toEqual([])
    await userEvent.keyboard('{Enter}')
    await expect.element(way(words.reach.proxy)).toBeChecked()
    expect(asked(shown, 'operations.reach.updateReach')).toEqual([{ profileId: 'local', call: { reach: 'proxy' } }])
  })
})

it('of several ways that are chosen at once the last one counts', async () => {
  const { promise, resolve } = Promise.withResolvers<undefined>()
  const shown = await show({
    answers: {
      'operations.reach.updateReach': async ({ call }) => {
        await promise
        return { ret: { ...usualReach, reach: call.reach ?? '' } }
      },
    },
  })
  for (const way of [words.reach.home, words.reach.port, words.reach.proxy])
    await page.getByRole('radio', { name: starting(way) }).click()
  resolve(undefined)
  await expect
    .poll(() => asked(shown, 'operations.reach.updateReach'))
    .toEqual([
      { profileId: 'local', call: { reach: 'home' } },
      { profileId: 'local', call: { reach: 'proxy' } },
    ])
  await expect.element(page.getByRole('radio', { name: starting(words.reach.proxy) })).toBeChecked()
})

it('keeps the address that is typed while the choice of the way is under way', async () => {
  const { promise, resolve } = Promise.withResolvers<undefined>()
  await show({
    answers: {
      'operations.reach.updateReach': async ({ call }) => {
        await promise
        return { ret: { ...usualReach, reach: call.reach ?? '', proxies: ['10.0.0.0/8'] } }
      },
    },
  })
  await page.getByRole('radio', { name: starting(words.reach.proxy) }).click()
  await page.getByLabelText(words.proxy.address).fill('https://radio.example')
  resolve(undefined)
  await expect.element(page.getByLabelText(words.proxy.trusted)).toHaveValue('10.0.0.0/8')
  await expect.element(page.getByLabelText(words.proxy.address)).toHaveValue('https://radio.example')
})

describe('another reach', () => {
  const home = {
    reach: 'home',
    results: [{ reach: 'home', state: 'works' }],
    doors: [{ name: 'media', host: '192.168.1.20', port: 8711, tls: false }],
  }
  const answers: Answers = { 'operations.reach.updateReach': () => ({ ret: usualReach }) }
  const computer = () => page.getByRole('radio', { name: starting(words.reach.computer) })

  it('is asked about while somebody watches, as it ends who watches through the present one', async () => {
    const shown = await show({ reach: home, answers })
    await expect.element(page.getByText(words.applies)).toMatchTextContent('except by another reach')
    await computer().click()
    await expect
      .element(page.getByRole('dialog').last())
      .toMatchTextContent(/Who watches through “Home network” ends at once. Watching now, all channels together: 5/)
    expect(asked(shown, 'operations.reach.updateReach')).toEqual([])
    await page.getByRole('button', { name: words.reach.askAction, exact: true }).click()
    await expect.element(computer()).toBeChecked()
    expect(asked(shown, 'operations.reach.updateReach')).toEqual([{ profileId: 'local', call: { reach: 'computer' } }])
  })

  it('is not asked about while nobody watches', async () => {
    const shown = await show({ reach: home, answers, used: { viewers: 0 } })
    await computer().click()
    await expect.element(computer()).toBeChecked()
    expect(asked(shown, 'operations.reach.updateReach')).toHaveLength(1)
  })
})

it('lists in Chinese with Chinese commas', async () => {
  const zh = spoken(shareWords, 'zh').share
  await mounted(withProps(ShareSheet, { open: true, on, name: 'Night Radio' }), {
    language: 'zh',
    answers: {
      'operations.access.access': () => ({
        ret: {
          ...usualAccess,
          mode: 'passphrase',
          passphrase: true,
          links: [{ ...link, expires: began + 3_600_000, maxViewers: 3 }],
        },
      }),
      'operations.access.watchLimits': () => ({ ret: limits }),
      'operations.access.schedule': () => ({ ret: {} }),
      'operations.reach.reach': () => ({ ret: { ...usualReach, reach: 'home', url: 'http://192.168.1.5:8711' } }),
      'operations.reach.visits': () => ({ ret: { list: [] } }),
    },
  })
  await expect.element(page.getByText(`${zh.head.passphrase}，${zh.head.home}，${zh.head.none}`)).toBeVisible()
  await expect.element(page.getByText(`${zh.entry.set}${zh.entry.wordHelp}`)).toBeVisible()
  await expect.element(page.getByText(/前有效，最多同时/)).toBeVisible()
})

describe('the name of the certificate', () => {
  const port: Partial<Reach> = { reach: 'port', doors: [{ name: 'media', host: '::', port: 8443, tls: true }] }
  const named = () => page.getByLabelText(words.port.name)

  it('is in the link, with the port', async () => {
    const shown = await show({ reach: port })
    await named().fill('live.example.com')
    await userEvent.keyboard('{Enter}')
    await expect
      .poll(() => asked(shown, 'operations.reach.updateReach'))
      .toEqual([
        { profileId: 'local', call: { reach: 'port', port: 8443, publicUrl: 'https://live.example.com:8443' } },
      ])
  })

  it('is there again, is taken out again, and is nothing but a name', async () => {
    const shown = await show({ reach: { ...port, publicUrl: 'https://live.example.com:8443' } })
    await expect.element(named()).toHaveValue('live.example.com')
    await named().fill('live.example.com/path')
    await expect.element(page.getByText(words.port.nameFault)).toBeVisible()
    await userEvent.keyboard('{Enter}')
    expect(asked(shown, 'operations.reach.updateReach')).toEqual([])
    await named().fill('')
    await userEvent.keyboard('{Enter}')
    await expect
      .poll(() => asked(shown, 'operations.reach.updateReach'))
      .toEqual([{ profileId: 'local', call: { reach: 'port', port: 8443, publicUrl: '' } }])
  })
})

it('takes no proxy that is no address or range', async () => {
  const shown = await show({ reach: { reach: 'proxy', url: 'https://radio.example' } })
  await page.getByLabelText(words.proxy.trusted).fill('10.0.0.0/99')
  await expect.element(page.getByText(words.proxy.trustedFault.replace('{n}', '16'))).toBeVisible()
  await userEvent.keyboard('{Enter}')
  expect(asked(shown, 'operations.reach.updateReach')).toEqual([])
})

it('keeps what the command line sets', async () => {
  await show({ reach: { reach: 'proxy', url: 'https://radio.example', fixed: ['reach', 'publicUrl', 'proxies'] } })
  await expect.element(page.getByText(words.reach.fixed)).toBeVisible()
  for (const label of [words.proxy.address, words.proxy.trusted])
    await expect.element(page.getByLabelText(label)).toBeDisabled()
})

it('has the port that is stored, though its door opens after the reach is there', async () => {
  const opened = Promise.withResolvers<void>()
  const port: Partial<Reach> = { reach: 'port', doors: [{ name: 'media', host: '::', port: 19_843, tls: true }] }
  const shown = await show({
    answers: {
      'operations.reach.updateReach': ({ call }) => ({ ret: { ...usualReach, reach: call.reach ?? '', doors: [] } }),
      'operations.reach.checkReach': async () => {
        await opened.promise
        return { ret: { ...usualReach, ...port } }
      },
    },
  })
  await page.getByRole('radio', { name: starting(words.reach.port) }).click()
  await expect.element(page.getByLabelText(words.port.number)).toHaveValue('8443')
  opened.resolve()
  await page.getByRole('button', { name: words.reach.checkAgain }).click()
  await expect.element(page.getByLabelText(words.port.number)).toHaveValue('19843')
  await page.getByLabelText(words.port.name).fill('live.example.com')
  await userEvent.keyboard('{Enter}')
  await expect
    .poll(() => asked(shown, 'operations.reach.updateReach').at(-1))
    .toEqual({
      profileId: 'local',
      call: { reach: 'port', port: 19_843, publicUrl: 'https://live.example.com:19843' },
    })
})

describe('a port that the router keeps closed', () => {
  const reach: Partial<Reach> = {
    reach: 'port',
    url: 'https://203.0.113.18:9443',
    results: [{ reach: 'port', state: 'unchecked' }],
    doors: [{ name: 'media', host: '::', port: 9443, tls: true }],
  }
  it('has the steps with its own number, and is opened by the router upon request', async () => {
    const shown = await show({ reach, answers: { 'operations.reach.updateReach': () => ({ ret: usualReach }) } })
    await expect.element(page.getByText(words.port.step2.replaceAll('{port}', '9443'))).toBeVisible()
    await expect.element(page.getByLabelText(words.port.number)).toHaveValue('9443')
    await page.getByRole('button', { name: words.port.openIt }).click()
    expect(asked(shown, 'operations.reach.updateReach')).toEqual([{ profileId: 'local', call: { forward: true } }])
  })

  it('says so where the router refused, and says nothing of the kind once it is open', async () => {
    await show({ reach: { ...reach, mapping: { state: 'failed' } } })
    await expect.element(page.getByText(words.port.failed)).toBeVisible()
    // A check asks the router again, which says of a port forwarded by hand what it said before.
    await expect.element(page.getByText(words.port.step3Failed)).toBeVisible()
    await expect.element(page.getByText(words.port.step3)).not.toBeInTheDocument()
    expect(page.getByRole('button', { name: words.port.openIt }).query()).toBeNull()
  })

  it('is told with the port that the router chose', async () => {
    const mapping = { state: 'open', address: '203.0.113.18', port: 40_444 }
    await show({ reach: { ...reach, mapping } })
    const text = words.port.opened.replace('{address}', mapping.address).replace('{port}', '40444')
    await expect.element(page.getByText(text)).toBeVisible()
    expect(page.getByText(words.port.byHand).query()).toBeNull()
  })

  it('but that another device than the router forwards is told as such, with the steps by hand', async () => {
    const mapping = { state: 'open', address: '198.41.0.99', port: 40_444, otherDevice: '192.168.1.77' }
    await show({ reach: { ...reach, mapping } })
    const named = { device: mapping.otherDevice, address: mapping.address, port: '40444' }
    const text = Object.entries(named).reduce(
      (words, [name, value]) => words.replace(`{${name}}`, value),
      words.port.otherDevice,
    )
    await expect.element(page.getByText(text)).toBeVisible()
    await expect.element(page.getByText(words.port.step2.replaceAll('{port}', '9443'))).toBeVisible()
    for (const other of [words.port.byHand, words.port.failed, words.port.opened.slice(0, 20)])
      expect(page.getByText(other).query()).toBeNull()
  })

  it('is not told of where it works', async () => {
    await show({ reach: { ...reach, results: [{ reach: 'port', state: 'works' }] } })
    expect(page.getByText(words.port.byHand).query()).toBeNull()
  })
})

it('says what helps against what is wrong with the chosen reach', async () => {
  await show({
    reach: {
      reach: 'proxy',
      url: 'https://radio.example',
      results: [{ reach: 'proxy', state: 'fault', reason: 'name' }],
    },
  })
  await expect.element(page.getByText(words.how.name)).toBeVisible()
})

it('says that a router without a public address is not reached from outside', async () => {
  const results = [{ reach: 'port', state: 'fault', reason: 'noPublicAddress' }]
  await show({ reach: { reach: 'port', results, mapping: { state: 'failed' } } })
  await expect.element(page.getByText(words.how.noPublicAddress)).toBeVisible()
  await expect.element(page.getByText(words.why.noPublicAddress)).toBeVisible()
})

it('reckons what is left of the month with what viewers take now', async () => {
  await show({ used: { monthBytes: 50e9, kbps: 12_000 } })
  const meter = page.getByRole('meter')
  await expect.element(meter).toHaveAttribute('aria-valuetext', expect.stringContaining('about 5.40 GB'))
  await expect.element(page.getByText('50.0 GB left, 9.3 h like now')).toBeVisible()
  expect(document.querySelector<HTMLElement>('.guess')?.style.width).toBe('5.4%')
})

it('guesses nothing of the month while nobody watches', async () => {
  await show({ used: { monthBytes: 50e9, kbps: 0, viewers: 0 } })
  await expect.element(page.getByText('50.0 GB left', { exact: true })).toBeVisible()
  expect(page.getByText(/like now/).query()).toBeNull()
})

it('has no rate and no guess while nobody watches, though some seconds ago somebody did', async () => {
  await show({ used: { monthBytes: 50e9, kbps: 700, viewers: 0, waiting: 0 } })
  await expect
    .element(page.getByText('0 watching (this computer not counted), 0.0 Mbit/s', { exact: false }))
    .toBeVisible()
  await expect.element(page.getByText('50.0 GB left', { exact: true })).toBeVisible()
  expect(page.getByText(/like now/).query()).toBeNull()
  expect(document.querySelector<HTMLElement>('.guess')?.style.width).toBe('0%')
})

describe('who watches is read again', () => {
  const counted = async (answers: (now: { viewers: number }) => Answers = () => ({})) => {
    // Nothing is read only because time passes.
    const still = vi.spyOn(globalThis, 'setInterval').mockReturnValue(0 as never)
    onTestFinished(() => still.mockRestore())
    const now = { viewers: 1 }
    const shown = await show({
      access: { viewers: 0 },
      answers: { 'operations.access.watchLimits': () => ({ ret: { ...limits, ...now } }), ...answers(now) },
    })
    await expect.element(page.getByText(/^1 watching/)).toBeVisible()
    return { ...shown, now }
  }

  it('at once after it was turned off', async () => {
    await counted((now) => ({
      'access.update': () => {
        now.viewers = 0
        return { ended: 1 }
      },
    }))
    await page.getByRole('button', { name: words.off.action }).click()
    await expect.element(page.getByText(/^0 watching/)).toBeVisible()
  })

  it('as the service tells that somebody came or went, on any channel', async () => {
    const { now, tell } = await counted()
    now.viewers = 4
    await tell({ type: 'access', profileId: 'local', cid: 'b'.repeat(32) } as never)
    await expect.element(page.getByText(/^4 watching/)).toBeVisible()
  })
})

describe('that a link was copied', () => {
  const at = 'https://radio.example'
  const copied = async () => {
    const written = vi.spyOn(navigator.clipboard, 'writeText').mockResolvedValue()
    onTestFinished(() => written.mockRestore())
    const shown = await show({ reach: { reach: 'proxy', url: at, publicUrl: at } })
    await page.getByRole('button', { name: words.link.copy, exact: true }).click()
    await expect.element(page.getByText(words.link.copiedWhole)).toBeVisible()
    return shown
  }

  it.each<[string, Partial<Reach>]>([
    ['there is none any more', { url: usualReach.url }],
    ['it is another one', { url: 'https://other.example', publicUrl: 'https://other.example' }],
  ])('is not said where %s', async (_what, change) => {
    const shown = await copied()
    shown.state.reach = { ...usualReach, reach: 'proxy', ...change }
    await shown.tell({ type: 'reach', profileId: 'local' } as never)
    await expect.element(page.getByText(words.link.copiedWhole)).not.toBeInTheDocument()
    await expect.element(page.getByText(words.applies)).toBeVisible()
  })

  it('is said for some seconds only', async () => {
    await copied()
    await expect.element(page.getByText(words.link.copiedWhole)).not.toBeInTheDocument()
    await expect.element(page.getByRole('button', { name: words.link.copy, exact: true })).toBeVisible()
  })
})

describe('the encryption', () => {
  const made = { names: ['live.example.com'], issuer: 'R11', expires: began + 80 * 86_400_000, vouched: true }
  const port: Partial<Reach> = {
    reach: 'port',
    url: 'https://live.example.com:8443',
    doors: [{ name: 'media', host: '::', port: 8443, tls: true }],
    results: [{ reach: 'port', state: 'unchecked' }],
    encryption: 'unvouched',
    certificate: made,
  }
  const other = 'https://wrong.example.com:8443'
  const named = (text: string) => text.replace('{host}', 'wrong.example.com')
  it.each<[string, Partial<Reach>, string]>([
    ['is of no known authority', { certificate: { ...made, vouched: false } }, words.tls.unvouched],
    ['is for another name', { url: other }, named(words.tls.otherName)],
    [
      'is for another name, and of no known authority',
      { url: other, certificate: { ...made, vouched: false } },
      named(words.tls.neither),
    ],
    [
      'is for all names of a domain',
      { encryption: 'vouched', certificate: { ...made, names: ['*.example.com'] } },
      words.tls.vouched,
    ],
  ])('says why browsers warn of a certificate that %s', async (_what, change, told) => {
    await show({ reach: { ...port, ...change } })
    await expect.element(page.getByText(told, { exact: true })).toBeVisible()
  })

  it('says which are the names of the certificate and who issued it', async () => {
    await show({ reach: { ...port, certificate: { ...made, names: ['live.example.com', 'www.example.com'] } } })
    await expect.element(page.getByText('Made for: live.example.com, www.example.com')).toBeVisible()
    await expect.element(page.getByText('Issued by: R11')).toBeVisible()
  })

  it('says of a certificate of the proxy nothing about files here', async () => {
    const at = 'https://radio.example'
    const results = [{ reach: 'proxy', state: 'fault', reason: 'certificate' }]
    await show({ reach: { reach: 'proxy', url: at, publicUrl: at, results, encryption: 'unvouched' } })
    await expect.element(page.getByText(words.tls.refused)).toBeVisible()
    await expect.element(page.getByText(words.how.proxyCertificate)).toBeVisible()
    await expect.element(page.getByText(words.how.certificate)).not.toBeInTheDocument()
  })

  it.each([
    ['certificateName', named(words.tls.otherName).replace('wrong.example.com', 'radio.example')],
    ['certificateAuthority', words.tls.unvouched],
  ] as const)('tells the faults of the certificate of a proxy apart: %s', async (reason, told) => {
    const at = 'https://radio.example'
    const results = [{ reach: 'proxy', state: 'fault', reason }]
    await show({ reach: { reach: 'proxy', url: at, publicUrl: at, results, encryption: 'unvouched' } })
    await expect.element(page.getByText(told, { exact: true })).toBeVisible()
    await expect.element(page.getByText(words.how[reason])).toBeVisible()
  })

  it.each<[string, Partial<Reach>, string]>([
    ['a proxy without an address', { reach: 'proxy' }, words.why.noPublicUrl],
    ['no network', { reach: 'home' }, words.why.noAddress],
    ['no certificate', { ...port, doors: [], results: [], encryption: 'none' }, words.why.noCertificate],
    [
      'a port that is taken',
      { ...port, doors: [], results: [{ reach: 'port', state: 'fault', reason: 'taken' }] },
      words.why.taken,
    ],
  ])('is not spoken of where nothing is open: %s', async (_what, reach, why) => {
    await show({ reach })
    await expect.element(page.getByText(words.tls.shut.replace('{why}', why), { exact: true })).toBeVisible()
    await expect.element(page.getByText(words.tls.none)).not.toBeInTheDocument()
  })
})

it('takes tenths of a megabit, as they may have been set by a call', async () => {
  const shown = await show({ used: { maxKbps: 2_500 }, answers: { 'operations.access.updateWatchLimits': () => ({}) } })
  await expect.element(page.getByLabelText(words.limits.upload)).toHaveValue('2.5')
  await page.getByRole('button', { name: words.limits.save }).click()
  await expect
    .poll(() => asked(shown, 'operations.access.updateWatchLimits'))
    .toEqual([{ profileId: 'local', call: { maxViewers: 0, maxKbps: 2_500, maxGigabytes: 100 } }])
})

it('tells the upload to viewers from that to targets, which takes nothing of the month', async () => {
  await show({ used: { viewers: 0, kbps: 1_800, targetsKbps: 1_800 } })
  const told = (text: string) => page.getByText(text, { exact: false })
  await expect.element(told(words.limits.nowOthers.replace('{n}', '0').replace('{mbit}', '0.0'))).toBeVisible()
  await expect.element(told(words.limits.targets.replace('{mbit}', '1.8'))).toBeVisible()
  expect(told(words.limits.hour.split('{size}')[0]!).query()).toBeNull()
})

describe('a link that would lead nowhere', () => {
  const noNetwork = [{ reach: 'home', state: 'fault', reason: 'noAddress' }]
  const noCertificate = [{ reach: 'port', state: 'fault', reason: 'noCertificate' }]
  const noProxy = [{ reach: 'proxy', state: 'fault', reason: 'proxyAbsent' }]
  it.each([
    [{ reach: 'home', results: noNetwork }, words.why.noAddress],
    [{ reach: 'port', results: noCertificate }, words.why.noCertificate],
    [{ reach: 'proxy' }, words.why.noPublicUrl],
    [
      { reach: 'proxy', publicUrl: 'https://a.example', url: 'https://a.example', results: noProxy },
      words.why.proxyAbsent,
    ],
  ])('is not offered, and what is missing stands there: %o', async (reach, why) => {
    const shown = await show({ reach: reach as Partial<Reach>, access: { links: [link] } })
    await expect.element(page.getByText(words.link.missing.replace('{why}', why))).toBeVisible()
    await expect.element(page.getByText(`${words.head.everybody}, ${why}`)).toBeVisible()
    await expect.element(page.getByRole('button', { name: words.link.copy, exact: true })).not.toBeInTheDocument()
    await expect.element(page.getByLabelText(words.link.qr)).not.toBeInTheDocument()
    await expect.element(page.getByText(/<iframe/)).not.toBeInTheDocument()
    await expect
      .element(page.getByRole('button', { name: words.named.copy.replace('{name}', 'Mum') }))
      .not.toBeInTheDocument()
    expect(document.querySelector('header .text-armt')).not.toBeNull()
    await userEvent.keyboard('{Control>}l{/Control}')
    await expect.element(page.getByText(words.link.copiedWhole)).not.toBeInTheDocument()
    shown.state.reach = { ...usualReach }
  })
})

it('offers no link of another reach while one is changed and measured', async () => {
  const at = 'https://radio.example'
  const found = { reach: 'port', url: 'https://live.example:8443' }
  const doors = [{ name: 'media', host: '::', port: 8443, tls: true }]
  const changed = { ...usualReach, ...found, doors, results: [{ reach: 'port', state: 'unchecked' }], measuring: true }
  const answer = Promise.withResolvers<{ ret: Reach }>()
  const shown = await show({
    access: { links: [link], embedOrigins: ['https://example.org'] },
    reach: { reach: 'proxy', url: at, publicUrl: at, results: [{ reach: 'proxy', state: 'works' }] },
    answers: { 'operations.reach.updateReach': () => answer.promise },
  })
  const copy = page.getByRole('button', { name: words.link.copy, exact: true })
  await expect.element(copy).toBeVisible()
  const isWithout = async (): Promise<void> => {
    await expect.element(page.getByText(words.link.measuring)).toBeVisible()
    await expect.element(copy).not.toBeInTheDocument()
    await expect.element(page.getByLabelText(words.link.qr)).not.toBeInTheDocument()
    await expect.element(page.getByText(/<iframe/)).not.toBeInTheDocument()
    await expect.element(page.getByText(`${at}/watch/`)).not.toBeInTheDocument()
  }
  await page.getByRole('radio', { name: starting(words.reach.port) }).click()
  await isWithout()
  await expect.element(page.getByLabelText(words.port.name)).toHaveValue('')
  answer.resolve({ ret: changed })
  await expect.element(page.getByText(words.head.unchecked)).not.toBeInTheDocument()
  await isWithout()
  shown.state.reach = { ...usualReach, ...found, doors, results: [{ ...found, state: 'unchecked' }] }
  await shown.tell({ type: 'reach', profileId: 'local' } as never)
  await expect.element(copy).toBeVisible()
  await expect.element(page.getByText(`${found.url}/watch/${cid}`, { exact: true })).toBeVisible()
})

it('has for the proxy its own public address again', async () => {
  const at = 'https://radio.example'
  const now = { ...usualReach, reach: 'proxy', url: at, publicUrl: at, proxies: [] }
  await show({
    reach: { reach: 'port', url: at, publicUrl: at, proxies: [] },
    answers: { 'operations.reach.updateReach': () => ({ ret: now }) },
  })
  await page.getByRole('radio', { name: starting(words.reach.proxy) }).click()
  await expect.element(page.getByLabelText(words.proxy.address)).toHaveValue(at)
})

it('shows the certificate where doors use it, and under no other reach', async () => {
  const certificate = { names: ['radio.example'], issuer: 'R11', expires: began + 1, vouched: true }
  const doors = [{ name: 'media', host: '192.168.1.20', port: 8711, tls: false }]
  const certificateFault = { reason: 'absent', file: '/a.pem' }
  await show({ reach: { reach: 'home', url: 'http://192.168.1.20:8711', doors, certificate, certificateFault } })
  await expect.element(page.getByText(words.tls.none)).toBeVisible()
  await expect.element(page.getByText(/radio\.example/)).not.toBeInTheDocument()
  await expect.element(page.getByText(/a\.pem/)).not.toBeInTheDocument()
})

it('brings the code for a phone into view', async () => {
  await show({
    reach: { reach: 'proxy', url: 'https://radio.example', publicUrl: 'https://radio.example' },
    answers: {
      'access.startVisit': () => ({ visitId: 'v', url: 'https://radio.example/visit/v', expires: began }),
    },
  })
  await page.viewport(1440, 600)
  onTestFinished(() => page.viewport(1440, 900))
  await page.getByRole('button', { name: words.visit.start }).click()
  const code = page.getByRole('region', { name: words.visit.title }).getByLabelText(words.link.qr)
  await expect.element(code).toBeInViewport({ ratio: 1 })
})

it('takes the code for a phone away when the reach changes', async () => {
  const reach = { reach: 'proxy', url: 'https://radio.example', publicUrl: 'https://radio.example' }
  const shown = await show({
    reach,
    answers: {
      'access.startVisit': () => ({ visitId: 'v', url: 'https://radio.example/visit/v', expires: began }),
      'operations.reach.updateReach': () => ({ ret: { ...usualReach, ...reach, url: 'https://other.example' } }),
    },
  })
  await page.getByRole('button', { name: words.visit.start }).click()
  await expect.element(page.getByText(words.visit.waiting)).toBeVisible()
  await page.getByLabelText(words.proxy.address).fill('https://other.example')
  await page.getByRole('button', { name: words.proxy.save, exact: true }).first().click()
  await expect.poll(() => asked(shown, 'operations.reach.updateReach').length).toBe(1)
  await expect.element(page.getByText(words.visit.waiting)).not.toBeInTheDocument()
})

it('names what its button copies of a configuration', async () => {
  await show({
    reach: { reach: 'proxy', url: 'https://radio.example', publicUrl: 'https://radio.example' },
    answers: { 'operations.reach.proxySnippet': () => ({ ret: { text: 'server {}', file: 'a' } }) },
  })
  await page.getByRole('button', { name: words.proxy.snippet.replace('{server}', 'nginx') }).click()
  await expect.element(page.getByRole('button', { name: words.proxy.copy })).toBeVisible()
})

it('keeps its room beside the divider whatever rows and a configuration say', async () => {
  const line = '  ssl_certificate_key "/etc/letsencrypt/live/radio.ana.example/privkey.pem";'
  const text = `server {\n${`${line}\n`.repeat(30)}}`
  await show({
    reach: {
      reach: 'proxy',
      url: 'https://radio.example',
      publicUrl: 'https://radio.example',
      results: [{ reach: 'proxy', state: 'fault', reason: 'proxyAbsent' }],
    },
    answers: { 'operations.reach.proxySnippet': () => ({ ret: { text, file: 'a' } }) },
  })
  await page.viewport(1440, 900)
  await page.getByRole('button', { name: words.proxy.snippet.replace('{server}', 'nginx') }).click()
  await expect.element(page.getByRole('button', { name: words.proxy.copy })).toBeVisible()
  const column = document.querySelector('.left')!
  const edge = column.getBoundingClientRect().left + column.clientWidth - 20
  for (const part of column.querySelectorAll('pre, form, .card, .row'))
    expect(part.getBoundingClientRect().right, part.className).toBeLessThanOrEqual(edge + 1)
  expect(column.scrollWidth).toBe(column.clientWidth)
})

it('says that ways are being measured', async () => {
  const results = [{ reach: 'computer', state: 'unchecked' }]
  await show({ reach: { results, measuring: true } })
  const row = page.getByRole('radio', { name: starting(words.reach.computer) })
  await expect.element(row.getByText(words.reach.measuring)).toBeVisible()
})

it('marks the file of a certificate that was refused, until it is changed', async () => {
  const file = '/etc/none.pem'
  await show({
    reach: { reach: 'port' },
    answers: {
      'operations.reach.updateReach': () => {
        throw failed({ kind: 'code', code: 631, detail: `/reach/update: 631 keyFile: there is no file ${file}` })
      },
    },
  })
  const key = page.getByLabelText(words.port.key)
  await page.getByLabelText(words.port.certificate).fill('/etc/chain.pem')
  await key.fill(file)
  await page.getByRole('button', { name: words.port.save }).click()
  await expect.element(key).toHaveAttribute('aria-invalid', 'true')
  await expect.element(page.getByText(words.tls.absent.replace('{file}', file))).toBeVisible()
  await expect.element(page.getByLabelText(words.port.certificate)).not.toHaveAttribute('aria-invalid', 'true')
  await key.fill('/etc/key.pem')
  await expect.element(key).not.toHaveAttribute('aria-invalid', 'true')
})

it.each(['http://192.168.77.1:8088', 'http://myblog.example', 'https://a.example/path'])(
  'marks %s, which may not embed, and asks nothing',
  async (origin) => {
    const shown = await show()
    const field = page.getByLabelText(words.embed.allowed)
    await field.fill(origin)
    await expect.element(field).toHaveAttribute('aria-invalid', 'true')
    await expect.element(page.getByText(words.embed.fault)).toBeVisible()
    await userEvent.keyboard('{Enter}')
    await expect.element(field).toHaveValue(origin)
    expect(asked(shown, 'access.update')).toEqual([])
  },
)

it('says of a named link that as many as it lets in watch with it', async () => {
  await show({ access: { links: [{ ...link, maxViewers: 2 }] } })
  await expect.element(page.getByText(`2 at once, ${words.named.full}`)).toBeVisible()
})
