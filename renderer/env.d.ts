/// <reference types="vite/client" />
import type { Messages } from './locales/messages.ts'

declare module 'vue-i18n' {
  export interface DefineLocaleMessage extends Messages {}
}

declare global {
  interface Window {
    /** What the desktop shell's preload offers; absent in the browser shell. */
    readonly sidestage?: import('./data/shell.ts').DesktopShell
  }
}
