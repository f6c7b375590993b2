/// <reference types="vite/client" />
import type { Messages } from './locales/messages.ts'

declare module 'vue-i18n' {
  export interface DefineLocaleMessage extends Messages {}
}

declare global {
  interface Window {
    /** From the desktop shell's preload; absent in the browser shell. */
    readonly sidestage?: import('./data/shell.ts').DesktopShell
  }
}
