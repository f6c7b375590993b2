import { defineStore } from 'pinia'

/** What of this window shows a secret now; while anything does, the desktop keeps the window out of recordings of the screen. */
export const useShields = defineStore('shields', () => {
  const shown = new Set<string>()
  return {
    /** Something begins or ends to show a secret. In the browser shell nothing can be done about it. */
    set: (name: string, on: boolean, shell: Window['sidestage']): void => {
      const before = shown.size
      if (on) shown.add(name)
      else shown.delete(name)
      if (before === 0 && shown.size > 0) shell?.shield()
      else if (before > 0 && shown.size === 0) shell?.unshield()
    },
  }
})
