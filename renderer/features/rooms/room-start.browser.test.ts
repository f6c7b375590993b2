import { describe, expect, it } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { h, type Component } from 'vue'
import { failed } from '../../testing/memory-client.ts'
import { makeProfiles } from '../../testing/fake-state.ts'
import { service } from '../../testing/mounted.ts'
import { mountedRoom } from '../../testing/mounted-room.ts'
import { spoken } from '../../format/languages.ts'
import { frameWords } from '../frame/words.ts'
import { roomWords } from './words.ts'
import RoomStart from './room-start.vue'

const en = spoken(frameWords, 'en')
const roomEn = spoken(roomWords, 'en')

const { room: words } = roomEn
const hosted = { profile: 'hosted-1', panel: { profileId: 'hosted-1' } } as const
const open = ({
  inDialog = false,
  ...options
}: Parameters<typeof mountedRoom>[1] & { readonly inDialog?: boolean } = {}) => {
  const made: number[] = []
  const Start: Component = { render: () => h(RoomStart, { inDialog, onMade: (roomid: number) => made.push(roomid) }) }
  return mountedRoom(Start, {
    ...options,
    answers: { 'rooms.create': () => ({ roomid: 9 }), ...options.answers },
  }).then((shown) => ({ ...shown, made }))
}
const field = (name: string) => page.getByRole('textbox', { name })
const create = () => page.getByRole('button', { name: words.create })
const add = () => page.getByRole('button', { name: words.add })

describe('making a room', () => {
  it('sends its name and its host without spaces around them, and tells the number of the room', async () => {
    const { client, made } = await open()
    await field(words.name).fill('  Evening show ')
    await field(words.host).fill(' Host_2 ')
    await create().click()
    await expect.poll(() => made).toEqual([9])
    expect(client.inputs('rooms.create')).toEqual([
      { profileId: 'local', accid: 'host_2', name: 'Evening show', announcement: '' },
    ])
  })

  it('suggests a host account on the embedded service only', async () => {
    await open()
    await expect.element(field(words.host)).toHaveValue('host')
    await expect.element(page.getByText(words.none)).toBeVisible()
    await expect.element(page.getByText(words.hostHelp)).toBeVisible()
    expect(field(words.number).query()).toBeNull()
  })

  it('suggests no host account of a hosted service, and names it', async () => {
    await open(hosted)
    await expect.element(field(words.host)).toHaveValue('')
    await expect.element(page.getByText(words.noneHosted.replace('{name}', 'Harbour production'))).toBeVisible()
    expect(page.getByText(words.hostHelp).query()).toBeNull()
  })

  it('says that the token of the host is forgotten where there is no keychain', async () => {
    await open({
      profiles: makeProfiles('full').map((each) =>
        each.kind === 'local' ? { ...each, secret: 'session' as const } : each,
      ),
    })
    await expect.element(page.getByText(words.hostHelpSession)).toBeVisible()
  })

  it.each([
    ['no name', '', 'host', words.nameFault],
    ['a name of spaces', '  ', 'host', words.nameFault],
    ['no host', 'Show', '', words.accidFault.replace("{'@'}", '@')],
    ['a host that is no accid', 'Show', 'Gastgeber ü', words.accidFault.replace("{'@'}", '@')],
  ] as const)('is refused with %s, which is said after the press', async (_case, name, host, fault) => {
    const { client, made } = await open()
    await field(words.name).fill(name)
    await field(words.host).fill(host)
    expect(page.getByText(fault).query()).toBeNull()
    await create().click()
    await expect.element(page.getByText(fault)).toBeVisible()
    expect(client.inputs('rooms.create')).toEqual([])
    expect(made).toEqual([])
  })

  it('is sent once, however often it is pressed before the answer', async () => {
    const answer = Promise.withResolvers<void>()
    const { client, made } = await open({
      answers: {
        'rooms.create': async () => {
          await answer.promise
          return { roomid: 9 }
        },
      },
    })
    await field(words.name).fill('Show')
    await userEvent.keyboard('{Enter}{Enter}')
    await create().click({ force: true })
    answer.resolve()
    await expect.poll(() => made).toEqual([9])
    expect(client.inputs('rooms.create')).toHaveLength(1)
  })

  it('says why it was refused, and keeps what was typed', async () => {
    const { made } = await open({
      answers: {
        'rooms.create': () => {
          throw failed({ kind: 'late' })
        },
      },
    })
    await field(words.name).fill('Show')
    await create().click()
    await expect.element(page.getByRole('alert')).toMatchTextContent(en.failure.late.sentence)
    await expect.element(field(words.name)).toHaveValue('Show')
    expect(made).toEqual([])
  })

  it('waits while the service is down, and says so', async () => {
    const { client, tell } = await open()
    await field(words.name).fill('Show')
    await tell(service('restarting'))
    await expect.element(create()).toHaveAttribute('aria-disabled', 'true')
    await expect.element(create()).toHaveAttribute('title')
    await create().click({ force: true })
    expect(client.inputs('rooms.create')).toEqual([])
  })

  it.each([true, false])('puts the focus in its first field in a dialog: %s', async (inDialog) => {
    await open({ inDialog })
    await expect.element(field(words.name)).toBeVisible()
    if (inDialog) await expect.element(field(words.name)).toHaveFocus()
    else await expect.element(field(words.name)).not.toHaveFocus()
  })
})

describe('adding a room of a hosted service', () => {
  const added = { roomid: 31, name: 'Far', creator: 'h', valid: true, online: null, cid: null }

  it('looks it up by its number', async () => {
    const { client, made } = await open({ ...hosted, answers: { 'rooms.add': () => added } })
    await field(words.number).fill(' 31 ')
    await add().click()
    await expect.poll(() => made).toEqual([31])
    expect(client.inputs('rooms.add')).toEqual([{ profileId: 'hosted-1', roomid: 31 }])
  })

  it.each(['', '0', '012', '3x', '-4', '1.5', '9999999999999999'])(
    'refuses what is no number of a room: “%s”',
    async (text) => {
      const { client } = await open(hosted)
      await field(words.number).fill(text)
      expect(page.getByText(words.numberFault).query()).toBeNull()
      await add().click()
      await expect.element(page.getByText(words.numberFault)).toBeVisible()
      expect(client.inputs('rooms.add')).toEqual([])
    },
  )

  it('says why it was refused', async () => {
    const { made } = await open({
      ...hosted,
      answers: {
        'rooms.add': () => {
          throw failed({ kind: 'late' })
        },
      },
    })
    await field(words.number).fill('31')
    await add().click()
    await expect.element(page.getByRole('alert')).toMatchTextContent(en.failure.late.sentence)
    expect(made).toEqual([])
  })
})
