import { describe, expect, it, onTestFinished } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { h } from 'vue'
import type { AppEvent } from '../../../contract/rpc/events.ts'
import { useCompanion } from '../../data/companion.ts'
import { spoken } from '../../format/languages.ts'
import { frameWords } from '../frame/words.ts'
import { channelsWords } from './words.ts'
import { began, channel, figures, mounted, service, tallies, tally, withParts } from '../../testing/mounted.ts'
import { makeProfiles } from '../../testing/fake-state.ts'
import { failed, type Answers } from '../../testing/memory-client.ts'
import ChannelDialogs from './channel-dialogs.vue'
import ChannelsView from './channels-view.vue'
import { useDialogs } from './dialogs.ts'

const en = spoken(frameWords, 'en')
const channelsEn = spoken(channelsWords, 'en')

const live = channel(1, { status: 1 })
const idle = channel(2)
const other = channel(3)
const disabled = channel(4, { status: 2 })
const list = [live, idle, other, disabled]
const done = ({ cids }: { readonly cids: readonly string[] }) => ({
  results: cids.map((cid) => ({ cid, ok: true, code: null })),
})
const answers: Answers = {
  'channels.disable': done,
  'channels.resume': done,
  'channels.remove': done,
  'channels.rename': () => undefined,
  'recordings.all': () => ({ files: [], more: false }),
}
const chatOn = () => ({ on: true, roomid: 7, people: 0 })
const show = (options: Parameters<typeof mounted>[1] = {}) =>
  mounted(withParts(ChannelsView, ChannelDialogs), {
    channels: list,
    path: '/channels',
    ...options,
    answers: { ...answers, ...options.answers },
  })
const button = (name: string | RegExp) => page.getByRole('button', { name })
const dialog = () => page.getByRole('dialog')
const choose = async (...names: readonly string[]): Promise<void> => {
  for (const name of names) await page.getByRole('checkbox', { name: `Select ${name}` }).click()
}
const item = async (name: string, what: string): Promise<void> => {
  await button(`Actions for ${name}`).click()
  await page.getByRole('menuitem', { name: what }).click()
}

describe('what can be done with a row', () => {
  it('asks before it disables a channel on air, and disables that one', async () => {
    const { client } = await show()
    await item(live.name, en.word.disableAsk)
    await expect.element(dialog()).toMatchTextContent(en.ask.disableLive)
    expect(client.inputs('channels.disable')).toEqual([])
    await dialog().getByRole('button', { name: en.ask.disable }).click()
    await expect.poll(() => client.inputs('channels.disable')).toEqual([{ profileId: 'local', cids: [live.cid] }])
    await expect.element(dialog()).not.toBeInTheDocument()
  })

  it('leaves a channel on air alone when the question is cancelled', async () => {
    const { client } = await show()
    await item(live.name, en.word.disableAsk)
    await dialog().getByRole('button', { name: en.word.cancel }).click()
    await expect.element(dialog()).not.toBeInTheDocument()
    expect(client.inputs('channels.disable')).toEqual([])
  })

  it('disables a channel that is not on air at once', async () => {
    const { client } = await show()
    await item(idle.name, en.word.disable)
    await expect.poll(() => client.inputs('channels.disable')).toEqual([{ profileId: 'local', cids: [idle.cid] }])
    expect(dialog().query()).toBeNull()
  })

  it('resumes a disabled channel by its button', async () => {
    const { client } = await show()
    await button(`Resume ${disabled.name}`).click()
    await expect.poll(() => client.inputs('channels.resume')).toEqual([{ profileId: 'local', cids: [disabled.cid] }])
  })

  it('asks before it deletes a channel, and says what becomes of its recordings', async () => {
    const { client } = await show()
    await item(idle.name, en.word.removeAsk)
    await expect.element(dialog()).toMatchTextContent(en.ask.recordedNone)
    expect(client.inputs('channels.remove')).toEqual([])
    await dialog().getByRole('button', { name: en.ask.remove }).click()
    await expect.poll(() => client.inputs('channels.remove')).toEqual([{ profileId: 'local', cids: [idle.cid] }])
  })

  it('renames a channel', async () => {
    const { client } = await show()
    await item(idle.name, en.word.rename)
    await dialog().getByRole('textbox').fill('Another_name')
    await dialog().getByRole('button', { name: en.word.renameNow }).click()
    await expect
      .poll(() => client.inputs('channels.rename'))
      .toEqual([{ profileId: 'local', cid: idle.cid, name: 'Another_name' }])
    await expect.element(dialog()).not.toBeInTheDocument()
  })

  it('says in the row that it is under way, in the place of its button', async () => {
    const answer = Promise.withResolvers<ReturnType<typeof done>>()
    const { client } = await show({ answers: { 'channels.resume': () => answer.promise } })
    await button(`Resume ${disabled.name}`).click()
    await expect.element(page.getByRole('img', { name: en.word.progress })).toBeVisible()
    expect(button(`Resume ${disabled.name}`).query()).toBeNull()
    answer.resolve(done({ cids: [disabled.cid] }))
    await expect.element(button(`Resume ${disabled.name}`)).toBeVisible()
    expect(client.inputs('channels.resume').length).toBe(1)
  })

  it('says at the row why a channel could not be resumed', async () => {
    await show({
      answers: { 'channels.resume': () => ({ results: [{ cid: disabled.cid, ok: false, code: 630 }] }) },
    })
    await button(`Resume ${disabled.name}`).click()
    await expect.element(page.getByRole('alert')).toBeVisible()
  })

  it('does not resume while the service is down', async () => {
    const { client, tell } = await show()
    await tell(service('restarting'))
    await expect.element(button(`Resume ${disabled.name}`)).toHaveAttribute('aria-disabled', 'true')
    await button(`Resume ${disabled.name}`).click({ force: true })
    expect(client.inputs('channels.resume')).toEqual([])
  })
})

describe('several channels at once', () => {
  it('are disabled only after a question when one of them is on air', async () => {
    const { client } = await show()
    await choose(live.name, idle.name)
    await button('Disable 2').click()
    await expect.element(dialog()).toMatchTextContent('1 of them is on air now')
    expect(client.inputs('channels.disable')).toEqual([])
    await dialog().getByRole('button', { name: 'Disable 2' }).click()
    await expect
      .poll(() => client.inputs('channels.disable').map(({ cids }) => cids.toSorted()))
      .toEqual([[live.cid, idle.cid]])
  })

  it('are disabled at once when none of them is on air', async () => {
    const { client } = await show()
    await choose(idle.name, other.name)
    await button('Disable 2').click()
    await expect
      .poll(() => client.inputs('channels.disable').map(({ cids }) => cids.toSorted()))
      .toEqual([[idle.cid, other.cid]])
    expect(dialog().query()).toBeNull()
  })

  it('are deleted only after a question that names them', async () => {
    const { client } = await show()
    await choose(idle.name, disabled.name)
    await button(/^Delete 2/).click()
    await expect.element(dialog()).toMatchTextContent(idle.name)
    await expect.element(dialog()).toMatchTextContent(disabled.name)
    expect(client.inputs('channels.remove')).toEqual([])
    await dialog().getByRole('button', { name: 'Delete 2' }).click()
    await expect
      .poll(() => client.inputs('channels.remove').map(({ cids }) => cids.toSorted()))
      .toEqual([[idle.cid, disabled.cid]])
  })

  it('resume only those that are disabled', async () => {
    const { client } = await show()
    await choose(idle.name, disabled.name)
    await button('Resume 1').click()
    await expect.poll(() => client.inputs('channels.resume')).toEqual([{ profileId: 'local', cids: [disabled.cid] }])
  })

  it('have a report where some failed, and those stay chosen', async () => {
    await show({
      answers: {
        'channels.disable': ({ cids }) => ({
          results: cids.map((cid) => ({ cid, ok: cid === idle.cid, code: cid === idle.cid ? null : 629 })),
        }),
      },
    })
    await choose(idle.name, other.name)
    await button('Disable 2').click()
    await expect.element(dialog().getByText(other.name)).toBeVisible()
    await dialog().getByRole('button', { name: en.word.close }).click()
    await expect.element(page.getByRole('checkbox', { name: `Select ${other.name}` })).toBeChecked()
    await expect.element(page.getByRole('checkbox', { name: `Select ${idle.name}` })).not.toBeChecked()
  })

  it('cannot be resumed where none is disabled, and the button says so', async () => {
    const { client } = await show()
    await choose(idle.name)
    const resume = page.getByRole('region', { name: en.batch.label }).getByRole('button', { name: en.word.resume })
    await expect.element(resume).toHaveAttribute('title', en.batch.noneDisabled)
    await resume.click({ force: true })
    expect(client.inputs('channels.resume')).toEqual([])
  })
})

describe('the table', () => {
  const row = (name: string) => page.getByRole('row').filter({ hasText: name })

  it('has the figures of each channel in its own row', async () => {
    const second = { ...other, status: 1 }
    const { tell } = await show({ channels: [live, idle, second] })
    await tell(figures(live, { kbps: 6_012, viewers: 12 }), figures(second, { kbps: 3_333, viewers: 34 }))
    await expect.element(row(live.name)).toMatchTextContent('6,012')
    await expect.element(row(second.name)).toMatchTextContent('3,333')
    await expect.element(row(idle.name)).not.toMatchTextContent('6,012')
  })

  it('shows no figures and no lamp of a word that holds no more', async () => {
    const { tell } = await show()
    await tell(figures(live, { kbps: 6_012 }))
    await expect.element(row(live.name)).toMatchTextContent('6,012')
    await tell(service('restarting'))
    await expect.element(row(live.name)).not.toMatchTextContent('6,012')
    await expect.element(row(live.name)).toMatchTextContent(en.tally.fault)
  })

  it('shows how many watch only while that is known', async () => {
    const { tell } = await show()
    const viewers = () => row(live.name).element().querySelector('[data-figure=viewers]')?.textContent
    await tell(tallies([tally(live, { viewers: 1_234 })]))
    await expect.poll(viewers).toBe('1,234')
    await tell(service('restarting'))
    await expect.poll(viewers).toBe('–')
    await tell(service('running'), tallies([tally(live, { viewers: 5 })]))
    await expect.poll(viewers).toBe('5')
  })

  it.each([
    ['live', 1, false, en.tally.live],
    ['recorded', 3, true, en.tally.recording],
    ['armed', 0, true, en.tally.armed],
    ['idle', 0, false, en.tally.idle],
    ['disabled', 2, false, en.tally.disabled],
  ] as const)('has the lamp of a channel that is %s', async (_case, status, needRecord, word) => {
    const one = channel(5, { status, needRecord })
    await show({ channels: [one] })
    await expect.element(row(one.name)).toMatchTextContent(word)
  })

  it('follows what is told of a channel', async () => {
    const { tell } = await show()
    await tell(tallies([tally(live), tally({ ...idle, status: 3 })]))
    await expect.element(row(idle.name)).toMatchTextContent(en.tally.recording)
  })

  it('leads to the Studio of the row', async () => {
    const { router } = await show()
    await page.getByRole('link', { name: `Open ${other.name} in Studio` }).click()
    await expect.poll(() => router.currentRoute.value.path).toBe(`/studio/${other.cid}`)
  })
})

describe('a new channel', () => {
  it('is made with its name and opened in the Studio', async () => {
    const { client, router } = await show({
      answers: { 'channels.create': () => ({ cid: other.cid, recording: 'on' }), 'rooms.switchChat': chatOn },
    })
    await button(new RegExp(`^${en.create.title}`)).click()
    await dialog().getByRole('textbox').fill('Evening_show')
    await dialog()
      .getByRole('button', { name: new RegExp(`^${en.create.title}`) })
      .click()
    await expect
      .poll(() => client.inputs('channels.create'))
      .toEqual([{ profileId: 'local', name: 'Evening_show', record: true }])
    await expect.poll(() => router.currentRoute.value.path).toBe(`/studio/${other.cid}`)
  })

  it('is not made with a name that the service would refuse', async () => {
    const { client } = await show()
    await button(new RegExp(`^${en.create.title}`)).click()
    await dialog().getByRole('textbox').fill('two words')
    await dialog()
      .getByRole('button', { name: new RegExp(`^${en.create.title}`) })
      .click()
    await expect.element(dialog()).toMatchTextContent(/Not allowed in a name/)
    expect(client.inputs('channels.create')).toEqual([])
  })

  it('keeps the form open, and says why it could not be made', async () => {
    await show({
      answers: {
        'channels.create': () => {
          throw failed({ kind: 'late' })
        },
      },
    })
    await button(new RegExp(`^${en.create.title}`)).click()
    await dialog().getByRole('textbox').fill('Evening_show')
    await dialog()
      .getByRole('button', { name: new RegExp(`^${en.create.title}`) })
      .click()
    await expect.element(dialog().getByRole('alert')).toBeVisible()
  })

  it('stands in the place of the table while there is none', async () => {
    await show({ channels: [] })
    await expect.element(page.getByText(en.first.title)).toBeVisible()
    await expect.element(page.getByRole('textbox')).toBeVisible()
  })

  it('cannot be made while the service is down, and the button says why', async () => {
    const { tell } = await show()
    await tell(service('restarting'))
    await expect.element(button(new RegExp(`^${en.create.title}`))).toHaveAttribute('title', en.blocker.down)
    await button(new RegExp(`^${en.create.title}`)).click({ force: true })
    expect(dialog().query()).toBeNull()
  })
})

describe('the list of channels', () => {
  const { channels: words } = channelsEn
  const armed = channel(5, { needRecord: true, name: 'Armed_one' })
  const all = [live, idle, other, disabled, armed]
  const search = () => page.getByRole('searchbox', { name: words.searchLabel })
  const group = (name: string) => page.getByRole('radio', { name: new RegExp(`^${name}`) })
  const names = () => [...document.querySelectorAll('[data-name]')].map(({ textContent }) => textContent)
  const count = (of: string) => document.querySelector(`[data-figure=count][data-of=${of}]`)?.textContent
  const foot = () => document.querySelector('.table-foot')?.textContent ?? ''

  it('has groups with their counts, and shows the one that is chosen', async () => {
    await show({ channels: all })
    expect(['all', 'onAir', 'armed', 'disabled'].map(count)).toEqual(['5', '1', '1', '1'])
    await expect.element(group(words.all)).toBeChecked()
    await group(en.tally.disabled).click()
    await expect.poll(names).toEqual([disabled.name])
    await group(en.tally.armed).click()
    await expect.poll(names).toEqual([armed.name])
    await userEvent.keyboard('{ArrowLeft}')
    await expect.element(group(en.tally.live)).toBeChecked()
    await expect.poll(names).toEqual([live.name])
    await expect.element(group(en.tally.armed)).toHaveAttribute('tabindex', '-1')
  })

  it('knows no counts of groups while nobody vouches for the lamps', async () => {
    const { tell } = await show({ channels: all })
    await tell(service('restarting'))
    await expect.poll(() => ['all', 'onAir', 'armed', 'disabled'].map(count)).toEqual(['5', '–', '–', '–'])
  })

  it('says that a group is empty, and leads back to all', async () => {
    await show({ channels: [idle, other] })
    await group(en.tally.disabled).click()
    await expect.element(page.getByText(words.noneInFilter)).toBeVisible()
    await button(words.showAll).click()
    await expect.element(group(words.all)).toBeChecked()
    await expect.poll(() => names().length).toBe(2)
  })

  it('finds by name and id, says what was not found, and clears the search', async () => {
    await show({ channels: all })
    await search().fill(' armed_')
    await expect.poll(names).toEqual([armed.name])
    await search().fill(other.cid.slice(0, 8))
    await expect.poll(names).toEqual([other.name])
    await search().fill('nobody')
    await expect.element(page.getByText(words.noHit.replace('{query}', 'nobody'))).toBeVisible()
    await button(words.clearSearch).click()
    await expect.poll(() => names().length).toBe(5)
    await expect.element(search()).toHaveValue('')
  })

  it('has its search under a key, which types itself in a field', async () => {
    await show({ channels: all })
    await choose(idle.name)
    await userEvent.keyboard('/')
    await expect.element(search()).toHaveFocus()
    await userEvent.keyboard('a/')
    await expect.element(search()).toHaveValue('a/')
    await userEvent.keyboard('{Escape}')
    await expect.element(search()).toHaveValue('')
    await expect.element(page.getByRole('checkbox', { name: `Select ${idle.name}` })).toBeChecked()
    await userEvent.keyboard('{Escape}')
    await expect.element(page.getByRole('checkbox', { name: `Select ${idle.name}` })).not.toBeChecked()
  })

  it('keeps the choice while Escape closes a menu or a dialog', async () => {
    await show({ channels: all })
    await choose(idle.name)
    await button(`Actions for ${other.name}`).click()
    await expect.element(page.getByRole('menu')).toBeVisible()
    await userEvent.keyboard('{Escape}')
    await expect.element(page.getByRole('menu')).not.toBeInTheDocument()
    await expect.element(page.getByRole('checkbox', { name: `Select ${idle.name}` })).toBeChecked()
  })

  it('is sorted by its heads, one way and the other, with what is on air in front', async () => {
    await show({ channels: all })
    const head = (column: keyof typeof words.column) =>
      button(new RegExp(`^${words.sortBy.replace('{column}', words.column[column])}`))
    expect(names()).toEqual([live, idle, other, disabled, armed].map(({ name }) => name))
    expect(foot()).toContain(`${words.onAirFirst.replace('{order}', words.order.created)}, ${words.newest}`)
    await expect.element(head('created')).toHaveAccessibleName(`Sort by Created, ${words.newest}`)
    await head('created').click()
    await expect.poll(names).toEqual([live, armed, disabled, other, idle].map(({ name }) => name))
    expect(foot()).toContain(words.oldest)
    await head('name').click()
    await expect.poll(names).toEqual([live, armed, idle, other, disabled].map(({ name }) => name))
    expect(foot()).toContain(words.ascending)
    await head('tally').click()
    await expect.poll(names).toEqual([live, armed, idle, other, disabled].map(({ name }) => name))
    expect(foot()).toContain(`${words.sorted.tally}, ${words.ascending}`)
    await head('viewers').click()
    await expect.poll(foot).toContain(words.descending)
  })

  it('is sorted anew by figures while they change', async () => {
    const second = channel(6, { status: 1 })
    const { tell } = await show({ channels: [live, second] })
    await tell(figures(live, { kbps: 1_000 }), figures(second, { kbps: 2_000 }))
    await button(new RegExp(`^${words.sortBy.replace('{column}', words.column.kbps)}`)).click()
    await expect.poll(names).toEqual([second.name, live.name])
    await tell(figures(live, { kbps: 3_000 }))
    await expect.poll(names).toEqual([live.name, second.name])
  })

  it('turns pages, and begins at the first when something is searched for', async () => {
    const many = Array.from({ length: 60 }, (_, index) => channel(1, { cid: String(index).padStart(32, 'a') }))
    await show({ channels: many })
    const size = names().length
    expect(foot()).toContain(`1–${size} of 60`)
    await button(words.next).click()
    await expect.poll(foot).toContain(`${size + 1}–`)
    await search().fill('channel')
    await expect.poll(foot).toContain(`1–${size} of 60`)
  })

  it('chooses all rows of the page at once, and none', async () => {
    await show({ channels: all })
    const every = page.getByRole('checkbox', { name: words.selectAll })
    await choose(idle.name)
    await expect.element(every).toBePartiallyChecked()
    await every.click()
    await expect.element(every).toBeChecked()
    await expect.element(page.getByText('5 selected')).toBeVisible()
    await every.click()
    await expect.element(page.getByText('5 selected')).not.toBeInTheDocument()
  })

  it('says of the chosen rows what they are, and lets them go', async () => {
    await show({ channels: all })
    expect(page.getByRole('region', { name: en.batch.label }).query()).toBeNull()
    await choose(...all.map(({ name }) => name))
    await expect.element(page.getByText('1 on air · 1 armed · 2 idle · 1 disabled')).toBeVisible()
    await button(/^Clear/).click()
    await expect.element(page.getByRole('region', { name: en.batch.label })).not.toBeInTheDocument()
  })

  it('lets choice, search and group go when another profile is chosen', async () => {
    const { pinia } = await show({ channels: all })
    await choose(idle.name)
    await group(en.tally.disabled).click()
    await search().fill('x')
    useCompanion(pinia).choose('hosted-1')
    await expect.element(search()).toHaveValue('')
    await expect.element(group(words.all)).toBeChecked()
    expect(page.getByRole('region', { name: en.batch.label }).query()).toBeNull()
  })

  it('says of an own service elsewhere why it does not answer, and nothing while it does', async () => {
    const profiles = makeProfiles('full').map((each) => ({ ...each, extended: true }))
    const { tell } = await show({ channels: all, profile: 'hosted-1', profiles })
    const told = (change: object) => ({ ...tallies([tally(idle)], 'hosted-1'), at: began, ...change }) as AppEvent
    const note = () => document.querySelector('[data-figure=hostedNote]')?.textContent
    const failure = { kind: 'away', code: null, skewSeconds: null, detail: 'HTTP 503' }
    await tell(told({ source: 'poll', fault: 'poll', failure }))
    await expect.poll(note).toContain('its service is not available at the moment')
    await expect.element(page.getByText(words.hostedMissing)).not.toBeInTheDocument()
    await tell(told({ source: 'event', fault: null }))
    await expect.poll(note).toBeUndefined()
  })

  it('shows what is on air by its address, once', async () => {
    const { router } = await show({ channels: all, path: '/channels?show=onAir' })
    await expect.element(group(en.tally.live)).toBeChecked()
    expect(router.currentRoute.value.fullPath).toBe('/channels')
  })

  it('is read again on request', async () => {
    const { client } = await show({ channels: all })
    const before = client.inputs('channels.list').length
    client.answer({ ...answers, 'channels.list': () => ({ channels: [idle], total: 1 }) })
    await button(words.refresh).click()
    await expect.poll(names).toEqual([idle.name])
    expect(client.inputs('channels.list').length).toBe(before + 1)
  })

  it('keeps its rows where it could not be read again, and says so', async () => {
    const { client } = await show({ channels: all })
    client.answer({
      ...answers,
      'channels.list': () => {
        throw failed({ kind: 'late' })
      },
    })
    await button(words.refresh).click()
    await expect.element(page.getByRole('alert')).toMatchTextContent(words.stale)
    expect(names().length).toBe(5)
  })

  it('says why it could not be read, and is read on request', async () => {
    const { client } = await show({
      answers: {
        'channels.list': () => {
          throw failed({ kind: 'late' })
        },
      },
    })
    await expect.element(page.getByRole('alert')).toMatchTextContent(words.loadFailed)
    client.answer({ ...answers, 'channels.list': () => ({ channels: all, total: all.length }) })
    await button(en.word.retry).click()
    await expect.poll(() => names().length).toBe(5)
  })

  it('has what is recorded, when the key expires and when it was created in each row', async () => {
    const expired = channel(6, { name: 'Expired' })
    const soon = channel(7, { name: 'Soon', needRecord: true, format: 'flv', duration: 60 })
    const none = channel(8, { name: 'None', status: 2 })
    const { tell } = await show({ channels: [expired, soon, none] })
    await tell(
      tallies([tally(expired, { keyExpires: began - 1 }), tally(soon, { keyExpires: began + 3_600_000 }), tally(none)]),
    )
    const cell = (figure: string, { cid }: { readonly cid: string }) =>
      document.querySelector(`[data-figure=${figure}][data-of="${cid}"]`)
    await expect.poll(() => cell('keyLeft', expired)?.textContent).toBe(words.expired)
    expect(cell('keyLeft', soon)?.textContent).toBe('0d 01:00')
    expect(cell('keyLeft', soon)?.getAttribute('title')).toBe(words.expiresSoon)
    expect(cell('keyLeft', none)?.textContent).toBe('–')
    expect(cell('recordingSetting', expired)?.textContent).toBe(en.word.off)
    expect(cell('recordingSetting', soon)?.textContent).toMatch(/^FLV · 60/)
    expect(cell('created', expired)?.textContent).toMatch(/2026/)
  })

  it('counts how long each channel is on air', async () => {
    const { pass } = await show({ channels: all })
    const since = () => document.querySelector(`[data-figure=since][data-of="${live.cid}"]`)?.textContent
    expect(since()).toBe('00:01:00')
    await pass(5_000)
    await expect.poll(since).toBe('00:01:05')
  })
})

describe('the menu of a row', () => {
  it('opens the Studio, and copies the id of the channel', async () => {
    const { router } = await show()
    await item(other.name, en.channels.copyId)
    await expect.poll(() => navigator.clipboard.readText()).toBe(other.cid)
    await item(other.name, en.word.open)
    await expect.poll(() => router.currentRoute.value.path).toBe(`/studio/${other.cid}`)
  })

  it('offers of a disabled channel to resume and to delete it, not to open or rename it', async () => {
    const { client } = await show()
    await button(`Actions for ${disabled.name}`).click()
    await expect.element(page.getByRole('menuitem', { name: en.word.removeAsk })).toBeVisible()
    for (const what of [en.word.open, en.word.rename, en.word.disable, en.word.disableAsk])
      expect(page.getByRole('menuitem', { name: what, exact: true }).query()).toBeNull()
    await page.getByRole('menuitem', { name: en.word.resume }).click()
    await expect.poll(() => client.inputs('channels.resume')).toEqual([{ profileId: 'local', cids: [disabled.cid] }])
  })
})

describe('a question about channels', () => {
  it('says of this computer that a room stays', async () => {
    await show()
    await item(idle.name, en.word.removeAsk)
    await expect.element(dialog()).toMatchTextContent(en.ask.roomStays)
    await expect.element(dialog()).not.toMatchTextContent(en.ask.removeLive)
  })

  it('does not count files of a hosted service, and says that its host decides', async () => {
    const { client } = await show({ profile: 'hosted-1' })
    await item(idle.name, en.word.removeAsk)
    await expect.element(dialog()).toMatchTextContent(en.ask.recordedHosted)
    await expect.element(dialog()).not.toMatchTextContent(en.ask.roomStays)
    expect(client.inputs('recordings.all')).toEqual([])
  })

  it('stays open with the reason where one channel was refused, and is asked anew without it', async () => {
    await show({
      answers: { 'channels.remove': ({ cids }) => ({ results: [{ cid: cids[0]!, ok: false, code: 630 }] }) },
    })
    await item(idle.name, en.word.removeAsk)
    await dialog().getByRole('button', { name: en.ask.remove }).click()
    await expect.element(dialog().getByRole('alert')).toBeVisible()
    await dialog().getByRole('button', { name: en.word.cancel }).click()
    await item(other.name, en.word.removeAsk)
    await expect.element(dialog()).toMatchTextContent(`Delete ${other.name}?`)
    expect(dialog().getByRole('alert').query()).toBeNull()
  })

  it('names eight of many channels, and how many more there are', async () => {
    const many = Array.from({ length: 11 }, (_, index) =>
      channel(1, { cid: String(index).padStart(32, 'a'), name: `Many_${String(index).padStart(2, '0')}` }),
    )
    const { pinia } = await show({ channels: many })
    useDialogs(pinia).askRemove(many.map(({ cid }) => cid))
    await expect.element(dialog()).toMatchTextContent('Delete 11 channels?')
    const listed = dialog().getByRole('list', { name: en.channels.title }).getByRole('listitem')
    await expect.poll(() => listed.elements().length).toBe(9)
    await expect.element(listed.last()).toHaveTextContent('and 3 more')
  })

  it('begins with the name that is there, and says at it why another one was refused', async () => {
    const { client } = await show({
      answers: {
        'channels.rename': () => {
          throw failed({ kind: 'code', code: 610 })
        },
      },
    })
    await item(idle.name, en.word.rename)
    await expect.element(dialog()).toHaveAccessibleName(`Rename ${idle.name}`)
    await expect.element(dialog().getByRole('textbox')).toHaveValue(idle.name)
    await dialog().getByRole('button', { name: en.word.cancel }).click()
    expect(client.inputs('channels.rename')).toEqual([])
    await item(idle.name, en.word.rename)
    await dialog().getByRole('textbox').fill('Another_one')
    await dialog().getByRole('button', { name: en.word.renameNow }).click()
    await expect.poll(() => client.inputs('channels.rename').length).toBe(1)
    // At the field, as it is about the name.
    await expect.element(dialog().getByRole('textbox')).toHaveAttribute('aria-invalid', 'true')
    await expect.element(dialog().getByRole('textbox')).toHaveValue('Another_one')
  })

  it('is not asked for a channel that cannot be recorded as was wished: that is said', async () => {
    const { client } = await show({
      answers: { 'channels.create': () => ({ cid: other.cid, recording: 'failed' }), 'rooms.switchChat': chatOn },
    })
    await button(new RegExp(`^${en.create.title}`)).click()
    await dialog().getByRole('textbox').fill('Evening_show')
    await userEvent.keyboard('{Enter}{Enter}')
    await expect.element(page.getByText(en.create.notRecorded.replace('{name}', 'Evening_show')).first()).toBeVisible()
    await expect.element(page.getByText(en.toast.created.replace('{name}', 'Evening_show')).first()).toBeVisible()
    expect(client.inputs('channels.create').length).toBe(1)
  })
})

describe('a channel whose name is as long as can be', () => {
  const long = channel(5, { name: 'W'.repeat(64), status: 3, needRecord: true })
  it.each([
    ['en', 1120, 700],
    ['zh', 1120, 700],
    ['en', 1280, 800],
    ['zh', 1440, 900],
  ] as const)('leaves its actions on the screen: %s at %i px', async (language, width, height) => {
    await page.viewport(width, height)
    onTestFinished(() => page.viewport(1440, 900))
    // The rail of the window is beside it.
    const part = { render: () => h('div', { style: `display: flex; width: ${width - 72}px` }, [h(ChannelsView)]) }
    const { tell } = await mounted(part, {
      language,
      channels: [long, ...list],
      tallies: [tally(long, { viewers: 1_234 })],
      path: '/channels',
      answers,
    })
    const name = page.getByText(long.name, { exact: true })
    await expect.element(name).toBeVisible()
    const ends = (): number[] =>
      [...document.querySelectorAll('tbody tr')].map((row) => row.lastElementChild!.getBoundingClientRect().right)
    const menu = page.getByRole('row').filter({ hasText: long.name }).getByRole('button').last()
    expect(menu.element().getBoundingClientRect().right).toBeLessThanOrEqual(width - 72)
    expect(name.element().getBoundingClientRect().width).toBeGreaterThan(60)
    const columns = (): number[] =>
      [...document.querySelectorAll('thead th')].map((each) => Math.round(each.getBoundingClientRect().left))
    const before = columns()
    await tell(figures(long, { kbps: 123_456 }))
    await expect.element(page.getByText('123,456', { exact: true })).toBeVisible()
    expect(columns()).toEqual(before)
    expect(new Set(ends()).size).toBe(1)
  })
})
