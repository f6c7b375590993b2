// Maps `electron` to the double, so that the built bundle runs under Node: node --import hook.mjs out/main/index.js
import { registerHooks } from 'node:module'

const double = new URL('electron-double.ts', import.meta.url).href
registerHooks({
  resolve: (specifier, context, next) =>
    specifier === 'electron' ? { url: double, shortCircuit: true } : next(specifier, context),
})
if (process.env.SIDESTAGE_DRIVER) await import(process.env.SIDESTAGE_DRIVER)
