// SMILE's gradient tree boosting of conditional random fields on sparse sequences.
//
//     java SmileCrf TRAIN TEST FEATURES LABELS TREES NODES RATE
//
// A file has a line a token: its label, then the numbers of the features that are on; a blank line
// ends a sequence. Prints the accuracy (%) of forward-backward and of Viterbi decoding, and on a second line
// how many tokens of each sequence forward-backward has right.
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import smile.sequence.CRF;

public class SmileCrf {
  record Data(int[][][] inputs, int[][] labels) {}

  static Data read(String path) throws Exception {
    List<int[][]> inputs = new ArrayList<>();
    List<int[]> labels = new ArrayList<>();
    List<int[]> rows = new ArrayList<>();
    List<Integer> answers = new ArrayList<>();
    for (String line : Files.readAllLines(Path.of(path))) {
      if (line.isBlank()) {
        inputs.add(rows.toArray(new int[0][]));
        labels.add(answers.stream().mapToInt(i -> i).toArray());
        rows.clear();
        answers.clear();
        continue;
      }
      String[] words = line.split(" ");
      int[] row = new int[words.length - 1];
      for (int i = 1; i < words.length; i++) row[i - 1] = Integer.parseInt(words[i]);
      answers.add(Integer.parseInt(words[0]));
      rows.add(row);
    }
    return new Data(inputs.toArray(new int[0][][]), labels.toArray(new int[0][]));
  }

  static int[] right(CRF crf, Data data) {
    int[] right = new int[data.inputs.length];
    for (int i = 0; i < right.length; i++) {
      int[] labels = crf.predict(data.inputs[i]);
      for (int t = 0; t < labels.length; t++) right[i] += labels[t] == data.labels[i][t] ? 1 : 0;
    }
    return right;
  }

  static double accuracy(int[] right, Data data) {
    int all = Arrays.stream(data.labels).mapToInt(labels -> labels.length).sum();
    return 100.0 * Arrays.stream(right).sum() / all;
  }

  public static void main(String[] arguments) throws Exception {
    Data train = read(arguments[0]), test = read(arguments[1]);
    CRF.Trainer trainer =
        new CRF.Trainer(Integer.parseInt(arguments[2]), Integer.parseInt(arguments[3]));
    trainer.setNumTrees(Integer.parseInt(arguments[4]));
    trainer.setMaxNodes(Integer.parseInt(arguments[5]));
    trainer.setLearningRate(Double.parseDouble(arguments[6]));
    CRF crf = trainer.train(train.inputs, train.labels);
    int[] marginal = right(crf, test);
    crf.setViterbi(true);
    System.out.printf("%.3f %.3f%n", accuracy(marginal, test), accuracy(right(crf, test), test));
    for (int count : marginal) System.out.printf("%d ", count);
    System.out.println();
  }
}
