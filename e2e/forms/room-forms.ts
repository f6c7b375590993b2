import type { Locator } from 'playwright/test'
import { byEnter, search, strict, words, type Form, type Stage } from './form.ts'
import { openChat } from './open-chat.ts'

const room = async (stage: Stage): Promise<Locator> => {
  await stage.go('/room')
  const pane = stage.page.locator('section.pane')
  // The tab that was open stays so.
  await pane.locator('.tab').first().click()
  const searching = pane.locator('.tool.on').first()
  if (await searching.isVisible()) await searching.click()
  await pane.getByRole('log').waitFor()
  return stage.page.locator('main')
}
const person = async (stage: Stage): Promise<Locator> => {
  await room(stage)
  await stage.page.locator('section.pane .tab').nth(1).click()
  await stage.page.locator('li[data-accid=tom] button.who').click()
  const card = stage.page.locator('section[data-card]')
  await card.waitFor()
  return card
}
const bare = async (stage: Stage): Promise<void> => {
  await stage.go(`/studio/${stage.app.bare}`)
  await openChat(stage.page)
  await stage.press('roomPanel.chat.other')
  await stage.press('roomLists.link.make')
}

/** Opens a moderator's page; its language is its own. */
const openSeat = async ({ page, language }: Stage, address: string): Promise<Locator> => {
  await page.goto(address)
  await page.evaluate((language) => localStorage.setItem('sidestage.seat.language', language), language)
  await page.reload()
  await page.locator(`html[lang^=${language}]`).waitFor()
  return page.locator('main:has(form)')
}
/** The same length twice is refused, so each mute has another one. */
let mutes = 0

/** Dialogs and forms of rooms, of joining one, and of a moderator's page. */
export const roomForms: readonly Form[] = [
  {
    made: ['features/rooms/room-start.vue', 'features/rooms/channel-room.vue'],
    comes: strict,
    open: async (stage) => {
      await bare(stage)
      return stage.dialog
    },
  },
  {
    made: ['features/rooms/room-foot.vue'],
    comes: { empty: 'sent', long: 'told', markup: 'taken', script: 'taken' },
    fields: 'form.composer input',
    open: async (stage) => (await room(stage)).locator('section.pane'),
  },
  {
    made: ['features/rooms/room-search.vue'],
    comes: search,
    send: byEnter,
    open: async (stage) => {
      await room(stage)
      await stage.press('room.search')
      return stage.page.locator('section.pane .bar')
    },
  },
  {
    made: ['features/rooms/room-people.vue'],
    comes: search,
    send: byEnter,
    open: async (stage) => {
      await room(stage)
      await stage.page.locator('section.pane .tab').nth(1).click()
      return stage.page.locator('section.pane form[role=search]')
    },
  },
  {
    made: ['features/rooms/room-announcement.vue'],
    comes: { empty: 'sent', long: 'told', markup: 'taken', script: 'taken' },
    fields: 'section.announcement textarea',
    send: (stage) => stage.send('room.save'),
    open: async (stage) => {
      await room(stage)
      await stage.press('room.edit')
      return stage.page.locator('main:has(section.announcement textarea)')
    },
  },
  {
    made: ['features/rooms/room-queue.vue'],
    comes: words,
    fields: 'section.queue form input',
    open: async (stage) => {
      const main = await room(stage)
      await stage.press('room.addQueue')
      return main
    },
  },
  {
    made: ['features/rooms/room-side.vue'],
    as: 'robots',
    comes: { ...strict, empty: 'sent' },
    fields: 'section.p input >> nth=1',
    send: (stage) => stage.send('room.robotsAdd'),
    open: async (stage) => (await room(stage)).locator('.left'),
  },
  {
    made: ['features/rooms/room-side.vue'],
    as: 'slow mode',
    comes: strict,
    fields: 'section.p input >> nth=0',
    send: async (stage) => stage.page.locator('.left section.p input').first().press('Enter'),
    open: async (stage) => (await room(stage)).locator('.left'),
  },
  {
    made: ['features/rooms/person-measures.vue'],
    comes: { empty: 'sent', long: 'told', markup: 'taken', script: 'taken' },
    fields: '.measures input',
    send: async (stage) =>
      stage.page
        .locator('.measures .preset')
        .nth(mutes++ % 5)
        .click(),
    open: async (stage) => {
      await person(stage)
      return stage.page.locator('main')
    },
  },
  {
    made: ['features/rooms/person-card.vue'],
    as: 'note',
    comes: { empty: 'sent', long: 'told', markup: 'taken', script: 'taken' },
    fields: '.note input, .note textarea',
    send: async (stage) => stage.page.locator('section[data-card] .note input').press('Tab'),
    open: person,
  },
  {
    made: ['features/rooms/room-ask.vue', 'features/rooms/person-card.vue'],
    open: async (stage) => {
      await person(stage)
      await stage.press('room.blacklist')
      return stage.dialog
    },
  },
  {
    made: ['features/rooms/room-channel.vue'],
    open: async (stage) => {
      await room(stage)
      await stage.press('roomLists.link.unlink')
      return stage.dialog
    },
  },
  {
    made: ['features/rooms/recording-position.vue'],
    open: async (stage) => {
      await room(stage)
      await stage.page.locator('[data-id]', { hasText: 'example.com/line' }).click()
      await stage.page.keyboard.press('t')
      return stage.dialog
    },
  },
  {
    made: ['features/rooms/room-keys-help.vue'],
    open: async (stage) => {
      await room(stage)
      await stage.page.locator('[data-id]').first().click()
      await stage.page.keyboard.press('?')
      return stage.dialog
    },
  },
  {
    made: ['ui/link-dialog.vue'],
    open: async (stage) => {
      await room(stage)
      await stage.page.locator('[data-id] button.link', { hasText: 'example.com/line' }).first().click()
      return stage.dialog
    },
  },
  {
    made: ['features/remote-rooms/join-form.vue'],
    comes: strict,
    open: async (stage) => {
      await stage.go('/join')
      return stage.page.locator('main form')
    },
  },
  {
    made: ['features/remote-rooms/joined-list.vue'],
    open: async (stage) => {
      await stage.go('/join')
      await stage.press('joining.forget.do')
      return stage.dialog
    },
  },
]

/** Forms of pages that have an address of their own, by its address. */
export const pageForms: readonly Form[] = [
  {
    made: ['features/remote-rooms/seat-sign-in.vue'],
    comes: strict,
    open: (stage) => openSeat(stage, stage.app.invitation),
  },
  {
    made: ['features/remote-rooms/joined-way-in.vue'],
    comes: strict,
    open: (stage) => openSeat(stage, `${stage.app.app.ready.url.replace(/#.*/, '')}?joined=${stage.app.joined}`),
  },
]
