import { describe, expect, it } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { failed } from '../../testing/memory-client.ts'
import { service, starting } from '../../testing/mounted.ts'
import { mountedRoom } from '../../testing/mounted-room.ts'
import { roomAction } from '../../testing/room-values.ts'
import RoomQueue from './room-queue.vue'
import { useRoomPanel } from './room-panel.ts'
import { useRoom } from './room.ts'
import { spoken } from '../../format/languages.ts'
import { roomPanelWords } from './words-panel.ts'
import { roomWords } from './words.ts'

const roomPanelEn = spoken(roomPanelWords, 'en')
const roomEn = spoken(roomWords, 'en')

const { room: words } = roomEn
const button = (name: string) => page.getByRole('button', { name, exact: true })
const keyField = () => page.getByRole('textbox', { name: words.addKey, exact: true })
const valueField = () => page.getByRole('textbox', { name: words.addValue, exact: true })

/** The queue of a room in which `mei` waits. */
const open = (tab = true) =>
  mountedRoom(RoomQueue, {
    props: { tab },
    answers: {
      'rooms.act': ({ measure }) => {
        if (measure.kind === 'queueAdd' && measure.fresh && measure.key === 'mei') throw failed({ kind: 'changed' })
        return { action: roomAction(measure), taken: null }
      },
    },
  })
const added = (client: Awaited<ReturnType<typeof open>>['client']) =>
  client.inputs('rooms.act').map(({ measure }) => measure)

/** Enters a name that waits already. */
async function enterTaken(): Promise<void> {
  await button(words.addQueue).first().click()
  await keyField().fill('mei')
  await valueField().fill('a song')
  await button(words.addQueue).last().click()
  await expect.element(button(words.replaceIt)).toBeVisible()
}

describe('the queue of a room', () => {
  it('replaces who waits already only when asked to', async () => {
    const { client } = await open()
    await enterTaken()
    await button(words.replaceIt).click()
    await expect.poll(() => added(client).at(-1)).toEqual({ kind: 'queueAdd', key: 'mei', value: 'a song' })
    expect(added(client)).toHaveLength(2)
  })

  it('keeps who waits when asked to', async () => {
    const { client } = await open()
    await enterTaken()
    await button(words.keepIt).click()
    await expect.element(button(words.replaceIt)).not.toBeInTheDocument()
    expect(added(client)).toHaveLength(1)
  })

  it('asks no more about a name once another one is typed', async () => {
    const { client } = await open()
    await enterTaken()
    await keyField().fill('tom')
    await expect.element(button(words.replaceIt)).not.toBeInTheDocument()
    await button(words.addQueue).last().click()
    await expect
      .poll(() => added(client).at(-1))
      .toEqual({ kind: 'queueAdd', key: 'tom', value: 'a song', fresh: true })
  })

  it('adds nothing without a name or without what they wait for, and says which', async () => {
    const { client } = await open()
    await button(words.addQueue).first().click()
    await button(words.addQueue).last().click()
    await expect.element(page.getByRole('alert')).toHaveTextContent(words.addMissing.key)
    await keyField().fill('tom')
    await button(words.addQueue).last().click()
    await expect.element(page.getByRole('alert')).toHaveTextContent(words.addMissing.value)
    expect(added(client)).toEqual([])
  })
})

describe('who waits in the queue of a room', () => {
  const waiting = async (tab = true) => {
    const shown = await open(tab)
    shown.client.answer({
      'operations.queue.list': () => ({ desc: { list: [{ ana: 'first song' }, { lee: '<b>second</b>' }] } }),
    })
    await useRoom(shown.pinia).readPeople()
    await shown.pass(1)
    return shown
  }
  const entries = () =>
    page
      .getByRole('listitem')
      .elements()
      .map((each) => each.textContent.replaceAll(/\s+/g, ' ').trim())

  it.each([true, false])('stands in order with what they wait for, in the tab: %s', async (tab) => {
    await waiting(tab)
    await expect.poll(entries).toEqual(['1anafirst song', '2lee<b>second</b>'])
    expect(page.getByText(words.queueEmpty).query()).toBeNull()
  })

  it('is taken first by the button that names them', async () => {
    const { client } = await waiting()
    await page.getByRole('button', { name: starting(roomPanelEn.roomPanel.takeFirst.replace('{name}', 'ana')) }).click()
    await expect.poll(() => added(client)).toEqual([{ kind: 'queueTake', key: 'ana' }])
  })

  it('is taken out by the own button of each', async () => {
    const { client } = await waiting()
    await button(roomPanelEn.roomPanel.takeOut.replace('{name}', 'lee')).click()
    await expect.poll(() => added(client)).toEqual([{ kind: 'queueTake', key: 'lee' }])
  })

  it.each([true, false])('is dropped only after a question, in the tab: %s', async (tab) => {
    const { client, pinia } = await waiting(tab)
    await button(words.clearQueue).click()
    expect(useRoomPanel(pinia).asked).toEqual({ what: 'clear' })
    expect(added(client)).toEqual([])
  })

  it('cannot be changed while the service is down', async () => {
    const { client, pinia, tell } = await waiting()
    await button(words.addQueue).click()
    await tell(service('restarting'))
    await keyField().fill('tom')
    await valueField().fill('a song')
    for (const each of [
      page.getByRole('button', { name: starting(roomPanelEn.roomPanel.takeFirst.replace('{name}', 'ana')) }),
      button(roomPanelEn.roomPanel.takeOut.replace('{name}', 'lee')),
      button(words.clearQueue),
      button(words.addQueue).last(),
    ])
      await each.click({ force: true })
    expect(added(client)).toEqual([])
    expect(useRoomPanel(pinia).asked).toBeNull()
    await expect.element(page.getByText(roomPanelEn.roomPanel.queueOf.replace('{n}', '–'))).toBeVisible()
  })

  it('has nothing to clear and nobody to take where nobody waits', async () => {
    const { client } = await open()
    await expect.element(page.getByText(words.queueEmpty)).toBeVisible()
    expect(button(words.clearQueue).query()).toBeNull()
    await button(words.take).click({ force: true })
    expect(added(client)).toEqual([])
  })
})

describe('the form of the queue', () => {
  it('has the focus, sends without spaces around, and stays open and empty for the next one', async () => {
    const { client } = await open()
    await button(words.addQueue).click()
    await expect.element(keyField()).toHaveFocus()
    await keyField().fill(' tom ')
    await valueField().fill(' a song ')
    await userEvent.keyboard('{Enter}')
    await expect.poll(() => added(client)).toEqual([{ kind: 'queueAdd', key: 'tom', value: 'a song', fresh: true }])
    await expect.element(keyField()).toHaveValue('')
    await expect.element(valueField()).toHaveValue('')
    await expect.element(keyField()).toHaveFocus()
  })

  it('keeps what was typed while an entry was sent', async () => {
    const answer = Promise.withResolvers<void>()
    const { client } = await open()
    client.answer({
      'rooms.act': async ({ measure }) => {
        await answer.promise
        return { action: roomAction(measure), taken: null }
      },
    })
    await button(words.addQueue).click()
    await keyField().fill('tom')
    await valueField().fill('a song')
    await userEvent.keyboard('{Enter}')
    await keyField().fill('next')
    answer.resolve()
    await expect.element(valueField()).toHaveValue('')
    await expect.element(keyField()).toHaveValue('next')
  })

  it('is closed with Esc and by its button, and keeps an entry that was refused', async () => {
    const { client, pinia } = await open(false)
    const opener = button(words.addQueue).first()
    await expect.element(opener).toHaveAttribute('aria-expanded', 'false')
    await opener.click()
    await expect.element(keyField()).toBeVisible()
    client.answer({
      'rooms.act': () => {
        throw failed({ kind: 'code', code: 403 })
      },
    })
    await keyField().fill('tom')
    await valueField().fill('a song')
    await userEvent.keyboard('{Enter}')
    await expect.poll(() => useRoom(pinia).refusals.length).toBe(1)
    await expect.element(keyField()).toHaveValue('tom')
    await userEvent.keyboard('{Escape}')
    await expect.element(keyField()).not.toBeInTheDocument()
    expect(useRoom(pinia).refusals).toHaveLength(1)
  })

  it('asks about who waits already in the form only, with what they wait for', async () => {
    const { client, pinia } = await open()
    client.answer({ 'operations.queue.list': () => ({ desc: { list: [{ mei: 'her song' }] } }) })
    await useRoom(pinia).readPeople()
    await enterTaken()
    await expect.element(page.getByRole('alert')).toMatchTextContent(`${words.waitsAlready} mei her song`)
    expect(useRoom(pinia).refusals).toEqual([])
  })
})
