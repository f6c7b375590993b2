import type { Locator } from 'playwright/test'
import { byEnter, search, strict, type Form, type Stage } from './form.ts'

const panel = async (stage: Stage, section: string): Promise<Locator> => {
  await stage.go(`/settings/${section}`)
  const shown = stage.page.locator('main .panel')
  await shown.locator('h2').first().waitFor()
  return shown
}
const form =
  (section: string, index = 0) =>
  async (stage: Stage): Promise<Locator> =>
    (await panel(stage, section)).locator('form').nth(index)

/** Dialogs and forms of Settings. */
export const settingsForms: readonly Form[] = [
  {
    made: ['features/profiles/profile-form.vue', 'features/profiles/profiles-panel.vue'],
    comes: strict,
    open: async (stage) => {
      await panel(stage, 'profiles')
      await stage.press('settings.add')
      return stage.dialog
    },
  },
  {
    made: ['features/profiles/profile-form.vue'],
    as: 'name',
    comes: { empty: 'told', long: 'told', markup: 'taken', script: 'taken' },
    given: {
      liveUrl: 'http://127.0.0.1:9',
      messagingUrl: 'http://127.0.0.1:9',
      appKey: 'key',
      appSecret: 'secret-of-nobody',
    },
    open: async (stage) => {
      await panel(stage, 'profiles')
      await stage.press('settings.add')
      return stage.dialog
    },
  },
  { made: ['features/recordings/recording-defaults-panel.vue'], comes: strict, open: form('recordings') },
  {
    made: ['features/recordings/retention-panel.vue'],
    comes: { ...strict, empty: 'held' },
    open: form('recordings', 1),
  },
  { made: ['features/moderators/listen-card.vue'], comes: strict, open: form('receivers') },
  {
    made: ['features/receivers/receivers-panel.vue'],
    comes: { empty: 'held', long: 'told', markup: 'sent', script: 'sent' },
    fields: 'input[name=newKey]',
    send: (stage) => stage.send('receiver.saveKey'),
    open: async (stage) => panel(stage, 'receivers'),
  },
  {
    made: ['features/receivers/copy-target.vue'],
    comes: { ...strict, empty: 'held' },
    fields: 'input[name=address]',
    send: (stage) => stage.send('copies.set'),
    open: async (stage) => panel(stage, 'copies'),
  },
  { made: ['features/keys/presets-panel.vue'], comes: strict, open: form('room') },
  { made: ['features/moderators/seat-listener-card.vue'], comes: strict, open: form('moderators') },
  {
    made: ['features/moderators/seat-certificate-card.vue'],
    comes: { ...strict, empty: 'sent' },
    open: form('moderators', 1),
  },
  {
    made: ['features/moderators/seat-certificate-card.vue'],
    as: 'own',
    comes: strict,
    open: async (stage) => {
      const shown = await panel(stage, 'moderators')
      await stage.press('seats.certificate.enter')
      return shown.locator('form').nth(1)
    },
  },
  { made: ['features/moderators/seat-invite-card.vue'], comes: strict, open: form('moderators', 2) },
  {
    made: ['features/moderators/seat-list.vue'],
    open: async (stage) => {
      await panel(stage, 'moderators')
      await stage.press('seats.list.revoke')
      return stage.dialog
    },
  },
  {
    made: ['features/about/licence-list.vue'],
    comes: search,
    send: byEnter,
    open: async (stage) => {
      const shown = await panel(stage, 'about')
      await stage.press('support.licences.show')
      return shown
    },
  },
]
