import { channelForms } from './channel-forms.ts'
import type { Form } from './form.ts'
import { messagingForms } from './messaging-forms.ts'
import { pageForms, roomForms } from './room-forms.ts'
import { settingsForms } from './settings-forms.ts'

/** Every dialog and form that opens in the app's own window as it is started here; and those of pages with an address of their own. */
export const forms: readonly Form[] = [...pageForms, ...channelForms, ...messagingForms, ...roomForms, ...settingsForms]

/**
 * Components whose dialog or form needs something else: a thing that is broken, an OBS, a service with a push, or an app that was started without naming its ports
 * and folder. The specification that opens each.
 */
export const openedElsewhere: Readonly<Record<string, string>> = {
  'features/this-computer/folder-card.vue': 'settings.spec.ts',
  'features/this-computer/folder-choice.vue': 'settings.spec.ts',
  'features/this-computer/import-plan.vue': 'settings.spec.ts',
  'features/this-computer/ports-card.vue': 'settings.spec.ts',
  'features/this-computer/set-aside-card.vue': 'keeping.spec.ts',
  'features/this-computer/settings-file-card.vue': 'settings.spec.ts',
  'features/this-computer/zone-card.vue': 'settings.spec.ts',
  'features/frame/database-banner.vue': 'keeping.spec.ts',
  'features/frame/service-log.vue': 'keeping.spec.ts',
  'features/studio/clip-part.vue': 'clips.spec.ts',
  'features/studio/health-panel.vue': 'go-live.spec.ts',
  'features/clips/trim-editor.vue': 'trim.spec.ts',
  'features/clips/trim-times.vue': 'trim.spec.ts',
  'features/hold/hold-card.vue': 'share.spec.ts',
  'features/hold/hold-form.vue': 'share.spec.ts',
  'features/share/reach-question.vue': 'share.spec.ts',
  'features/share/named-link-form.vue': 'share.spec.ts',
  'features/share/share-embed.vue': 'share.spec.ts',
  'features/share/share-limits.vue': 'share.spec.ts',
  'features/share/share-links.vue': 'share.spec.ts',
  'features/share/share-next.vue': 'share.spec.ts',
  'features/share/share-port.vue': 'share.spec.ts',
  'features/share/share-reach.vue': 'share.spec.ts',
  'features/share/share-sheet.vue': 'share.spec.ts',
  'features/targets/target-form.vue': 'share.spec.ts',
  'features/targets/targets-card.vue': 'share.spec.ts',
}
