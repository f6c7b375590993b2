import { computed, ref } from 'vue'
import { accessModes } from '../../../contract/operations/access.ts'
import type { Share } from './share.ts'

/** Who gets in from now on. */
interface EntryChange {
  readonly mode: (typeof accessModes)[number]
  readonly passphrase?: string
}

/** The choice of who gets in; asks where somebody who watches is put out by it. */
export function useEntryChoice(share: Share, applied: (change: EntryChange) => void) {
  /** A change about which is asked. */
  const stricter = ref<EntryChange | null>(null)
  /** Who is put out by it: all without a named link. */
  const putOut = computed(() => {
    const { viewers = 0, links = [] } = share.access.value ?? {}
    return Math.max(0, viewers - links.reduce((sum, link) => sum + link.viewers, 0))
  })
  const apply = async (change: EntryChange): Promise<boolean> => {
    if (!(await share.update(change))) return false
    applied(change)
    return true
  }

  return {
    stricter,
    putOut,
    /** Somebody may have come since it was read; where it cannot be read, somebody may watch. */
    askOrApply: async (change: EntryChange): Promise<void> => {
      const now = accessModes.findIndex((one) => one === share.access.value?.mode)
      const takes = accessModes.indexOf(change.mode) > now || change.passphrase !== undefined
      if (takes && share.access.value?.closed === false) {
        await share.readAccess()
        if (share.failure.value !== null || putOut.value > 0) {
          stricter.value = change
          return
        }
      }
      await apply(change)
    },
    confirmStricter: async (): Promise<void> => {
      if (stricter.value && (await apply(stricter.value))) stricter.value = null
    },
  }
}
