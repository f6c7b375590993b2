import type { Words } from '../../format/languages.ts'
import { goLiveWords } from './words-go-live.ts'

/** Words of the health and the go-live check. */
export const healthWords = {
  streamHealth: {
    word: {
      good: { en: 'Good', zh: '良好' },
      fair: { en: 'Fair', zh: '一般' },
      poor: { en: 'Poor', zh: '较差' },
      unknown: { en: 'Not known', zh: '未知' },
      lost: { en: 'Lost', zh: '中断' },
    },
    label: { en: 'Stream health: {word}', zh: '推流健康：{word}' },
    fine: { en: 'Bitrate, frames, sound and clock are in their ranges.', zh: '码率、帧率、声音和时钟都在正常范围内。' },
    silent: { en: 'Nothing is heard of it at the moment.', zh: '目前没有任何消息。' },
    down: { en: 'The service is down.', zh: '服务已中断。' },
    cause: {
      idle: { en: 'Nothing is on air.', zh: '当前没有直播。' },
      lost: { en: 'The connection to the encoder was lost {value} ago.', zh: '与编码器的连接已中断 {value}。' },
      node: {
        en: 'The node of the service that had the push was lost {value} ago.',
        zh: '承载推流的服务节点已中断 {value}。',
      },
      measuring: { en: 'Measured from the 5th second of a push.', zh: '从推流的第 5 秒开始测量。' },
      settling: {
        en: 'The encoder sends again. Measured anew from the 5th second.',
        zh: '编码器已恢复发送，第 5 秒起重新测量。',
      },
      notGiven: {
        en: 'A hosted service gives no ingest figures. See the encoder.',
        zh: '托管服务不提供推流数据。请查看编码器。',
      },
      silent: { en: 'Nothing arrives from the encoder.', zh: '没有收到编码器的数据。' },
      behind: { en: 'The push fell {value} s behind the clock.', zh: '推流比时钟落后了 {value} 秒。' },
      ahead: { en: 'The push runs {value} s ahead of the clock.', zh: '推流比时钟超前了 {value} 秒。' },
      frames: { en: '{value} frames a second arrive.', zh: '每秒收到 {value} 帧。' },
      soundMissing: { en: 'The push has no sound.', zh: '推流没有声音。' },
      soundGaps: { en: 'Sound was missing for {value} s.', zh: '声音中断了 {value} 秒。' },
      keyFrames: { en: '{value} s pass between key frames.', zh: '关键帧间隔达到 {value} 秒。' },
      bitrate: { en: 'The bitrate is {value} kbps.', zh: '码率为 {value} kbps。' },
      uneven: { en: 'The bitrate varies by {value} %.', zh: '码率波动 {value} %。' },
    },
    remedy: {
      lost: { en: 'Look at the encoder and at its network.', zh: '请检查编码器及其网络。' },
      node: {
        en: 'Encoders connect again, to another node. If yours does not, start its push again.',
        zh: '编码器会重新连接到其他节点；若没有，请重新开始推流。',
      },
      silent: { en: 'Look at the encoder and at its network.', zh: '请检查编码器及其网络。' },
      behind: {
        en: 'The upload is too slow: lower the bitrate in the encoder, or use a cable.',
        zh: '上行带宽不足：请在编码器中降低码率，或改用网线。',
      },
      ahead: {
        en: 'Let the encoder send in real time; of ffmpeg with -re.',
        zh: '请让编码器按实时速度发送；ffmpeg 请加 -re。',
      },
      frames: {
        en: 'The encoder loses frames: choose a faster preset or a smaller picture, or lower the bitrate.',
        zh: '编码器在丢帧：请选择更快的预设或更小的画面，或降低码率。',
      },
      soundMissing: {
        en: 'Choose a sound source in the encoder, unless it is wanted so.',
        zh: '若非有意，请在编码器中选择声音来源。',
      },
      soundGaps: { en: 'Look at the sound device of the encoder.', zh: '请检查编码器的声音设备。' },
      keyFrames: { en: 'Set the key-frame interval to 2 s in the encoder.', zh: '请在编码器中将关键帧间隔设为 2 秒。' },
      bitrate: {
        en: 'Raise the bitrate in the encoder, unless it is wanted so.',
        zh: '若非有意，请在编码器中提高码率。',
      },
      uneven: { en: 'Set rate control to CBR in the encoder.', zh: '请在编码器中将码率控制设为 CBR。' },
    },
    open: { en: 'Last 10 minutes…', zh: '最近 10 分钟…' },
    title: { en: 'The last 10 minutes', zh: '最近 10 分钟' },
    lead: {
      en: 'Figures of the ingest, one a second, kept while Sidestage runs. Vertical lines are drops.',
      zh: '推流端的数据，每秒一次，Sidestage 运行期间保留。竖线表示断流。',
    },
    hosted: {
      en: 'A hosted service gives no ingest figures and tells no drops.',
      zh: '托管服务不提供推流数据，也不告知断流。',
    },
    none: { en: 'No figures yet. They begin with the push.', zh: '还没有数据。推流开始后才有。' },
    loading: { en: 'Reading figures', zh: '正在读取数据' },
    chartFailed: {
      en: 'The graph could not be loaded. The table has the same figures.',
      zh: '图表未能加载。表格中有同样的数据。',
    },
    figure: {
      kbps: { en: 'Bitrate, kbps', zh: '码率，kbps' },
      fps: { en: 'Frames per second', zh: '每秒帧数' },
      drift: { en: 'Behind the clock, s', zh: '落后时钟，s' },
    },
    chart: {
      en: '{figure}, last 10 minutes; the table below has the figures',
      zh: '{figure}，最近 10 分钟；数据见下方表格',
    },
    table: { en: 'Minute by minute', zh: '逐分钟' },
    minute: { en: 'Minute', zh: '分钟' },
    least: { en: 'least', zh: '最低' },
    mean: { en: 'mean', zh: '平均' },
    most: { en: 'most', zh: '最高' },
    drops: { en: 'Drops since Sidestage started', zh: 'Sidestage 启动以来的断流' },
    noDrops: { en: 'The push was never lost, refused or replaced.', zh: '推流从未中断、被拒绝或被替换。' },
    when: { en: 'When', zh: '时间' },
    what: { en: 'What happened', zh: '发生了什么' },
    without: { en: 'Without data', zh: '无数据时长' },
    notBack: { en: 'not back', zh: '未恢复' },
    seconds: { en: '{n} s', zh: '{n} s' },
    dropIs: {
      lost: { en: 'The connection was lost.', zh: '连接中断。' },
      silent: { en: 'The encoder sent nothing more.', zh: '编码器不再发送任何内容。' },
      stopped: { en: 'The encoder stopped.', zh: '编码器已停止。' },
      disabled: { en: 'The channel was disabled.', zh: '频道已停用。' },
      deleted: { en: 'The channel was deleted.', zh: '频道已删除。' },
      codec: { en: 'Its codec cannot be broadcast.', zh: '编码格式不支持。' },
      closing: { en: 'The service was closed.', zh: '服务已关闭。' },
      node: { en: 'The node of the service that had it was lost.', zh: '承载推流的服务节点已中断。' },
      service: { en: 'The service was lost.', zh: '服务中断。' },
      replaced: { en: 'Another encoder took over.', zh: '另一编码器接替了推流。' },
      held: {
        en: 'The encoder was lost. Viewers kept the last picture.',
        zh: '编码器中断，观众保持在最后一帧画面。',
      },
      other: { en: 'The push ended: {detail}', zh: '推流已结束：{detail}' },
      refused_key: { en: 'Refused: wrong key. Copy the key again.', zh: '被拒绝：密钥错误。请重新复制密钥。' },
      refused_keyFrom: {
        en: 'Refused: a wrong key, from {from}. Only if that was your encoder, copy the key into it again.',
        zh: '被拒绝：{from} 用错误的密钥推流。仅当那是你的编码器时，请重新复制密钥。',
      },
      refused_expired: {
        en: 'Refused: the key has expired. Get a fresh address.',
        zh: '被拒绝：密钥已过期。请获取新地址。',
      },
      refused_disabled: { en: 'Refused: the channel is disabled. Resume it.', zh: '被拒绝：频道已停用。请恢复频道。' },
      refused_busy: {
        en: 'Refused: another encoder is on air. Stop it first.',
        zh: '被拒绝：另一编码器正在直播。请先停止它。',
      },
      refused_pace: {
        en: 'Refused: the encoder reconnects too often. It is let in once a second.',
        zh: '被拒绝：编码器重连过于频繁，每秒只允许接入一次。',
      },
      refused_hevc: {
        en: 'Refused: the codec. Set the encoder to H.264.',
        zh: '被拒绝：编码格式不支持。请将编码器设为 H.264。',
      },
      refused_aac: {
        en: 'Refused: the codec. Set the audio encoder to AAC.',
        zh: '被拒绝：编码格式不支持。请将音频编码器设为 AAC。',
      },
      refused_other: { en: 'Refused.', zh: '被拒绝。' },
    },
  },
  ...goLiveWords,
} satisfies Words
