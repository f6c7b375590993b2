import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['{contract,service,companion,electron,browser,scripts,renderer}/**/*.test.ts'],
    testTimeout: 20_000,
    hookTimeout: 30_000,
    pool: 'forks',
  },
})
