import { describe, expect, it } from 'vitest'
import { page } from 'vitest/browser'
import { spoken } from '../../format/languages.ts'
import { frameWords } from '../frame/words.ts'
import { channel, figures, mounted, service, tallies, tally, withParts } from '../../testing/mounted.ts'
import { failed, type Answers } from '../../testing/memory-client.ts'
import ChannelDialogs from './channel-dialogs.vue'
import ChannelsView from './channels-view.vue'

const en = spoken(frameWords, 'en')

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
      answers: { 'channels.create': () => ({ cid: other.cid, recording: 'asIs' }) },
    })
    await button(new RegExp(`^${en.create.title}`)).click()
    await dialog().getByRole('textbox').fill('Evening_show')
    await dialog()
      .getByRole('button', { name: new RegExp(`^${en.create.title}`) })
      .click()
    await expect.poll(() => client.inputs('channels.create')).toEqual([{ profileId: 'local', name: 'Evening_show' }])
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
    await expect.element(button(new RegExp(`^${en.create.title}`))).toHaveAttribute('title', en.hindered.down)
    await button(new RegExp(`^${en.create.title}`)).click({ force: true })
    expect(dialog().query()).toBeNull()
  })
})
