import type { Words } from '../../format/languages.ts'

/** Words of the Studio while a channel is on air. */
export const onAirWords = {
  onAir: {
    encoder: { en: 'Encoder and chat', zh: '编码器与聊天' },
    encoderText: { en: 'Push address, OBS, chat for viewers', zh: '推流地址、OBS、观众聊天' },
    obsAway: { en: 'OBS does not answer', zh: 'OBS 没有应答' },
    keyExpired: { en: 'The key has expired', zh: '密钥已过期' },
  },
} satisfies Words
