import { describe, expect, it } from 'vitest'
import { page } from 'vitest/browser'
import { h, type Component } from 'vue'
import { failed } from '../../testing/memory-client.ts'
import { makeService } from '../../testing/fake-state.ts'
import { began, channel, service, withParts } from '../../testing/mounted.ts'
import { shareAnswers } from '../../testing/share-values.ts'
import { mountedRoom } from '../../testing/mounted-room.ts'
import { spoken } from '../../format/languages.ts'
import { frameWords } from '../frame/words.ts'
import { roomListsWords } from './words-lists.ts'
import { roomWords } from './words.ts'
import ChannelRoom from './channel-room.vue'

const en = spoken(frameWords, 'en')
const roomListsEn = spoken(roomListsWords, 'en')
const roomEn = spoken(roomWords, 'en')

const { link: words } = roomListsEn.roomLists
const one = channel(1, { name: 'Studio one' })
const two = channel(2, { name: 'Studio two' })
const listed = (roomid: number, name: string, cid: string | null = null) => ({
  roomid,
  name,
  creator: 'host',
  valid: true,
  online: 1,
  cid,
})
const rooms = [listed(7, 'Seven'), listed(8, 'Eight', two.cid), listed(9, 'Nine')]
type Options = Parameters<typeof mountedRoom>[1] & { readonly linked?: number | null }
const show = ({ linked = null, ...options }: Options = {}) => {
  const told: (number | null)[] = []
  let now = linked
  const profileId = options.profile ?? 'local'
  const Part: Component = {
    render: () => h(ChannelRoom, { profileId, cid: one.cid, onLinked: (roomid: number | null) => told.push(roomid) }),
  }
  return mountedRoom(withParts(Part), {
    channels: [one, two],
    ...options,
    answers: {
      'rooms.linked': () => ({ roomid: now }),
      'rooms.link': ({ roomid }) => {
        now = roomid
      },
      'rooms.list': () => ({ complete: true, rooms, next: null }),
      ...options.answers,
    },
  }).then((shown) => ({ ...shown, told }))
}
const button = (name: string) => page.getByRole('button', { name, exact: true })
const dialog = () => page.getByRole('dialog')
const choice = () => page.getByRole('combobox', { name: words.choose })
const refused = () => {
  throw failed({ kind: 'late' })
}

describe('the room of a channel', () => {
  it('is named with its number, and has its watch page', async () => {
    await show({ linked: 7 })
    await expect.element(page.getByText('Seven')).toBeVisible()
    await expect.element(button(words.openWatch)).toBeVisible()
    expect(choice().query()).toBeNull()
    expect(page.getByText(words.kept).query()).toBeNull()
  })

  it('has its number where it is not listed', async () => {
    await show({ linked: 70 })
    await expect.element(page.getByText(words.gone.replace('{id}', '70'))).toBeVisible()
  })

  it('of a hosted service is kept on this computer, and says so', async () => {
    await show({ linked: 7, profile: 'hosted-1', panel: { profileId: 'hosted-1' } })
    await expect.element(page.getByText(words.kept)).toBeVisible()
    expect(button(words.openWatch).query()).toBeNull()
  })

  it('is linked at once where neither has another one', async () => {
    const { client, told } = await show()
    await expect.element(button(words.link)).toBeDisabled()
    await choice().selectOptions('7')
    await button(words.link).click()
    await expect.poll(() => client.inputs('rooms.link')).toEqual([{ profileId: 'local', cid: one.cid, roomid: 7 }])
    expect(dialog().query()).toBeNull()
    await expect.poll(() => told).toEqual([7])
    await expect.element(page.getByText('Seven')).toBeVisible()
    await expect.element(button(words.change)).toBeVisible()
  })

  it('that belongs to another channel is linked only after a question that names that channel', async () => {
    const { client } = await show()
    await choice().selectOptions('8')
    await button(words.link).click()
    await expect
      .element(dialog())
      .toMatchTextContent(words.moveTitle.replace('{room}', 'Eight').replace('{channel}', one.name))
    await expect.element(dialog()).toMatchTextContent(words.moveText.replace('{other}', two.name))
    expect(client.inputs('rooms.link')).toEqual([])
    await dialog().getByRole('button', { name: words.link, exact: true }).click()
    await expect.poll(() => client.inputs('rooms.link')).toEqual([{ profileId: 'local', cid: one.cid, roomid: 8 }])
    await expect.element(dialog()).not.toBeInTheDocument()
  })

  it('is changed for another only after a question that names the present one', async () => {
    const { client } = await show({ linked: 7 })
    await button(words.change).click()
    await expect.element(choice().element().querySelector('option[value="7"]') as HTMLElement).toBeDisabled()
    await choice().selectOptions('9')
    await button(words.link).click()
    await expect.element(dialog()).toMatchTextContent(words.replaceText.replace('{other}', 'Seven'))
    expect(dialog().element().textContent).not.toContain(two.name)
    expect(client.inputs('rooms.link')).toEqual([])
    await dialog().getByRole('button', { name: words.link, exact: true }).click()
    await expect.element(page.getByText('Nine')).toBeVisible()
  })

  it('stays when the change is cancelled', async () => {
    const { client } = await show({ linked: 7 })
    await button(words.change).click()
    expect(page.getByText('Seven', { exact: true }).query()).toBeNull()
    await button(en.word.cancel).click()
    await expect.element(page.getByText('Seven')).toBeVisible()
    expect(client.inputs('rooms.link')).toEqual([])
  })

  it('is unlinked only after a question', async () => {
    const { client, told } = await show({ linked: 7 })
    await button(words.unlink).click()
    await expect
      .element(dialog())
      .toMatchTextContent(words.unlinkTitle.replace('{room}', 'Seven').replace('{channel}', one.name))
    await expect.element(dialog()).toMatchTextContent(words.unlinkText)
    expect(client.inputs('rooms.link')).toEqual([])
    await dialog().getByRole('button', { name: words.unlinkDo, exact: true }).click()
    await expect.poll(() => client.inputs('rooms.link')).toEqual([{ profileId: 'local', cid: one.cid, roomid: null }])
    await expect.poll(() => told).toEqual([null])
    await expect.element(choice()).toBeVisible()
  })

  it('says in the question what a hosted service keeps', async () => {
    await show({ linked: 7, profile: 'hosted-1', panel: { profileId: 'hosted-1' } })
    await button(words.unlink).click()
    await expect.element(dialog()).toMatchTextContent(words.unlinkHosted)
  })

  it('stays linked when the question is cancelled', async () => {
    const { client } = await show({ linked: 7 })
    await button(words.unlink).click()
    await dialog().getByRole('button', { name: en.word.cancel }).click()
    await expect.element(dialog()).not.toBeInTheDocument()
    expect(client.inputs('rooms.link')).toEqual([])
  })

  it('says in the question why it was refused, and keeps it open', async () => {
    const { told } = await show({ linked: 7, answers: { 'rooms.link': refused } })
    await button(words.unlink).click()
    await dialog().getByRole('button', { name: words.unlinkDo, exact: true }).click()
    await expect.element(dialog().getByRole('alert')).toMatchTextContent(en.failure.late.sentence)
    expect(told).toEqual([])
    await dialog().getByRole('button', { name: en.word.cancel }).click()
    await expect.element(page.getByText('Seven')).toBeVisible()
  })

  it('is sent once, however often the answer is pressed', async () => {
    const answer = Promise.withResolvers<void>()
    const { client, told } = await show({ linked: 7, answers: { 'rooms.link': () => answer.promise } })
    await button(words.unlink).click()
    const yes = dialog().getByRole('button', { name: words.unlinkDo, exact: true })
    await yes.click()
    await yes.click({ force: true })
    answer.resolve()
    await expect.poll(() => told).toEqual([null])
    expect(client.inputs('rooms.link')).toHaveLength(1)
  })

  it('says that there is no room yet, and makes one that is linked at once', async () => {
    const { client, told } = await show({
      answers: {
        'rooms.list': () => ({ complete: true, rooms: [], next: null }),
        'rooms.create': () => ({ roomid: 11 }),
      },
    })
    await expect.element(page.getByText(words.noRooms)).toBeVisible()
    expect(choice().query()).toBeNull()
    await button(words.make).click()
    await expect.element(dialog()).toMatchTextContent(words.makeTitle.replace('{name}', one.name))
    await page.getByRole('textbox', { name: roomEn.room.name }).fill('Fresh')
    await button(roomEn.room.create).click()
    await expect.poll(() => client.inputs('rooms.link')).toEqual([{ profileId: 'local', cid: one.cid, roomid: 11 }])
    await expect.element(dialog()).not.toBeInTheDocument()
    await expect.poll(() => told).toEqual([11])
  })

  it('is chosen from more rooms where there are more', async () => {
    const { client } = await show({
      answers: {
        'rooms.list': ({ before }) =>
          before === undefined
            ? { complete: true, rooms: [listed(7, 'Seven')], next: 7 }
            : { complete: true, rooms: [listed(5, 'Five')], next: null },
      },
    })
    const options = () => [...choice().element().querySelectorAll('option')].map(({ value }) => value)
    await expect.element(choice()).toBeVisible()
    expect(options()).toEqual(['', '7', 'more'])
    await choice().selectOptions(words.more)
    await expect.poll(options).toEqual(['', '7', '5'])
    await expect.element(choice()).toHaveValue('')
    await expect.element(button(words.link)).toBeDisabled()
    expect(client.inputs('rooms.list').at(-1)).toEqual({ profileId: 'local', before: 7 })
  })

  it('is still to be chosen while more rooms are read, and where they could not be', async () => {
    const answer = Promise.withResolvers<never>()
    await show({
      answers: {
        'rooms.list': ({ before }) =>
          before === undefined ? { complete: true, rooms: [listed(7, 'Seven')], next: 7 } : answer.promise,
      },
    })
    await choice().selectOptions('7')
    await choice().selectOptions(words.more)
    await expect.element(choice()).toHaveValue('7')
    answer.reject(failed({ kind: 'late' }))
    await expect.element(page.getByRole('alert')).toMatchTextContent(en.failure.late.sentence)
    await expect.element(choice()).toHaveValue('7')
    await expect.element(button(words.link)).toBeEnabled()
  })

  it('says why it could not be read, and is read again by the button', async () => {
    const { client } = await show({ answers: { 'rooms.linked': refused } })
    await expect.element(page.getByRole('alert')).toMatchTextContent(en.failure.late.sentence)
    expect(button(words.make).query()).toBeNull()
    client.answer({ 'rooms.linked': () => ({ roomid: 7 }) })
    await button(en.word.retry).click()
    await expect.element(page.getByText('Seven')).toBeVisible()
    await expect.element(page.getByRole('alert')).not.toBeInTheDocument()
  })

  it('is read again when the service is back', async () => {
    const { client, tell } = await show()
    await expect.element(choice()).toBeVisible()
    client.answer({ 'rooms.linked': () => ({ roomid: 7 }) })
    await tell(service('restarting'), service('running'))
    await expect.element(page.getByText('Seven')).toBeVisible()
  })
})

describe('the watch page of a channel', () => {
  const address = () => page.getByRole('status').element().textContent.trim()

  it('is opened by its button', async () => {
    const { client } = await show({
      linked: 7,
      about: { shell: 'electron' },
      answers: { 'app.openLink': () => undefined },
    })
    await button(words.openWatch).click()
    await expect
      .poll(() => client.inputs('app.openLink').map(({ url }) => new URL(url).pathname))
      .toEqual([`/watch/${one.cid}`])
  })

  it('has its address copied, and says so', async () => {
    await show({ linked: 7, answers: shareAnswers() })
    await button(words.copyWatch).click()
    await expect.element(button(words.copied)).toBeVisible()
    expect(new URL(await navigator.clipboard.readText()).pathname).toBe(`/watch/${one.cid}`)
    expect(address()).toBe(words.copied)
  })

  it('is not there while the service is down', async () => {
    const { tell } = await show({ linked: 7 })
    await expect.element(button(words.openWatch)).toBeVisible()
    await tell({ type: 'service', service: { ...makeService(began, 'fault'), addresses: null } })
    await expect.element(button(words.openWatch)).not.toBeInTheDocument()
  })
})
