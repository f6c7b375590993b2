import type { Locator } from 'playwright/test'
import { byEnter, freeWords, search, strict, type Form, type Stage } from './form.ts'

const card = (stage: Stage, key: string): Locator =>
  stage.page.getByRole('region', { name: stage.say(key), exact: true })
const studio = async (stage: Stage, cid = stage.app.show): Promise<void> => {
  await stage.go(`/studio/${cid}`)
  await card(stage, 'push.title').waitFor()
}
const channels = async (stage: Stage, name = 'Bare_Channel'): Promise<Locator> => {
  await stage.go('/channels')
  const row = stage.page.getByRole('row').filter({ hasText: name })
  await row.waitFor()
  return row
}
const recordings = async (stage: Stage, index = 0): Promise<Locator> => {
  await stage.go('/recordings')
  const row = stage.page.getByRole('row').filter({ hasText: /Forms_\d/ })
  await row.nth(index).waitFor()
  return row.nth(index)
}
/** Chooses in the menu of a row. */
const choose = async (stage: Stage, row: Locator, key: string): Promise<Locator> => {
  await row.locator('button[aria-haspopup=menu]').click()
  await stage.page.getByRole('menuitem', { name: stage.say(key) }).click()
  return stage.dialog
}

/** Chooses in the menu of the newest broadcast. */
const broadcast = async (stage: Stage, key: string): Promise<Locator> => {
  await stage.go('/broadcasts')
  // Rows of the screen before have links too.
  await stage.page.locator('a[href*="/broadcasts/"]').first().click()
  await stage.press('broadcast.menu')
  await stage.page.getByRole('menuitem', { name: stage.say(key) }).click()
  return stage.dialog
}

/** Dialogs and forms of Channels, Studio and Recordings. */
export const channelForms: readonly Form[] = [
  {
    made: [
      'features/channels/create-form.vue',
      'features/channels/name-field.vue',
      'features/channels/channel-dialogs.vue',
    ],
    comes: strict,
    open: async (stage) => {
      await channels(stage)
      await stage.press('create.title')
      return stage.dialog
    },
  },
  {
    made: ['features/channels/rename-form.vue'],
    comes: strict,
    open: async (stage) => choose(stage, await channels(stage), 'word.rename'),
  },
  {
    made: ['features/channels/channel-dialogs.vue'],
    as: 'delete',
    open: async (stage) => choose(stage, await channels(stage), 'word.removeAsk'),
  },
  {
    made: ['features/channels/channels-view.vue'],
    as: 'search',
    comes: search,
    send: byEnter,
    open: async (stage) => {
      await channels(stage)
      return stage.page.locator('main')
    },
  },
  {
    made: ['features/channels/batch-outcome.vue'],
    open: async (stage) => {
      await channels(stage)
      for (const name of ['Batch_1', 'Batch_2'])
        await stage.page.getByRole('row').filter({ hasText: name }).getByRole('checkbox').click()
      // Disabled the first time, resumed the next.
      await stage.page.locator('section.bar .ml-auto button:not([aria-disabled=true])').first().click()
      await stage.press('batch.report')
      return stage.dialog
    },
  },
  {
    made: ['features/keys/page-keys-help.vue'],
    open: async (stage) => {
      await channels(stage)
      await stage.page.keyboard.press('?')
      return stage.dialog
    },
  },
  {
    made: ['features/frame/command-palette.vue'],
    comes: search,
    send: async () => undefined,
    open: async (stage) => {
      await channels(stage)
      await stage.page.keyboard.press('Control+k')
      return stage.dialog
    },
  },
  {
    made: ['features/studio/recording-form.vue', 'features/studio/recording-card.vue'],
    comes: strict,
    open: async (stage) => {
      await studio(stage)
      await stage.press('recording.settings')
      return stage.dialog
    },
  },
  {
    made: ['features/studio/viewers-title.vue'],
    comes: { ...freeWords, empty: 'sent' },
    send: byEnter,
    open: async (stage) => {
      await studio(stage)
      return stage.page.locator('.viewers-title')
    },
  },
  {
    made: ['features/obs/obs-form.vue', 'features/obs/obs-card.vue'],
    comes: strict,
    open: async (stage) => {
      await studio(stage)
      await stage.press('obs.connectAsk')
      return stage.dialog
    },
  },
  {
    made: ['features/studio/push-card.vue'],
    open: async (stage) => {
      await studio(stage)
      await stage.press('push.replace')
      return stage.dialog
    },
  },
  {
    made: ['features/studio/go-live-panel.vue', 'features/studio/go-live-card.vue'],
    open: async (stage) => {
      await studio(stage)
      await stage.press('goLive.run')
      return stage.dialog
    },
  },
  {
    made: ['features/recordings/marker-dialog.vue'],
    comes: { empty: 'sent', long: 'told', markup: 'taken', script: 'taken' },
    open: async (stage) => {
      await recordings(stage)
      await stage.page.locator('section.line button.mark').first().click()
      return stage.dialog
    },
  },
  {
    made: ['features/recordings/merge-tray.vue'],
    comes: { ...strict, empty: 'told' },
    open: async (stage) => {
      const row = await recordings(stage)
      // A merge takes two or more, which the table offers once they are chosen.
      for (const each of [row, await recordings(stage, 1)]) await each.getByRole('checkbox').click()
      await stage.press('groups.merge')
      return stage.page.locator('aside.tray')
    },
  },
  {
    made: ['features/recordings/recordings-view.vue'],
    open: async (stage) => choose(stage, await recordings(stage), 'ask.remove'),
  },
  {
    made: ['features/recordings/file-player.vue'],
    open: async (stage) => {
      const row = await recordings(stage)
      await row.locator('.row-actions button').first().click()
      return stage.dialog
    },
  },
  {
    made: ['features/recordings/delivery-log.vue'],
    open: async (stage) => {
      await recordings(stage)
      await stage.press('callbacks.title')
      return stage.dialog
    },
  },
  {
    made: ['features/recordings/recordings-search.vue'],
    comes: search,
    send: byEnter,
    open: async (stage) => {
      await stage.go('/recordings')
      return stage.page.locator('main')
    },
  },
  {
    made: ['features/broadcasts/title-form.vue'],
    comes: freeWords,
    open: (stage) => broadcast(stage, 'broadcast.rename'),
  },
  {
    made: ['features/broadcasts/ids-dialog.vue'],
    open: (stage) => broadcast(stage, 'broadcast.details'),
  },
  {
    made: ['features/console/operation-list.vue'],
    comes: search,
    send: byEnter,
    open: async (stage) => {
      await stage.go('/console')
      return stage.page.locator('main nav, main aside, main .list').first()
    },
  },
  {
    made: ['features/console/console-view.vue', 'features/console/value-field.vue'],
    comes: { empty: 'told', long: 'told', markup: 'told', script: 'told' },
    fields: '.fields > :not(section) input:visible',
    send: (stage) => stage.send('console.send'),
    open: async (stage) => {
      await stage.go('/console/app/channel/create')
      return stage.page.locator('main section.form')
    },
  },
  {
    made: ['features/console/saved-examples.vue'],
    comes: { empty: 'held', long: 'sent', markup: 'taken', script: 'taken' },
    bounded: true,
    open: async (stage) => {
      await stage.go('/console/app/channel/create')
      return stage.page.getByRole('region', { name: stage.say('console.examples') })
    },
  },
]
