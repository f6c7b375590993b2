import { defineStore } from 'pinia'

/** While a part shows a secret, the desktop shell keeps the window out of screen recordings. */
export const useShields = defineStore('shields', () => {
  const shown = new Set<string>()
  return {
    set: (name: string, on: boolean, shell: Window['sidestage']): void => {
      const before = shown.size
      if (on) shown.add(name)
      else shown.delete(name)
      if (before === 0 && shown.size > 0) shell?.shield()
      else if (before > 0 && shown.size === 0) shell?.unshield()
    },
  }
})
