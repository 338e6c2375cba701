// MALLET's conditional random field on CRFsuite's attribute files, trained by its L-BFGS.
//
//     java MalletCrf TRAIN TEST VARIANCE SECONDS MODEL PREDICTIONS
//
// A file has a line a token: its label, then its attributes, by tabs; a blank line ends a sentence.
// The model is CRFsuite's: a weight for every attribute with a label that it was seen with, and one for
// every pair of labels that was seen; a pair that was not seen is allowed and weighs nothing. MALLET's own
// parameters for the first and the last label and a bias of each label are held at zero, because the
// attributes __BOS__ and __EOS__ say the same. Its usual stop (a change of 1e-4 in one iteration) is
// replaced by one of 1e-7, and by SECONDS of processor time, looked at after each iteration.
//
// Writes the model as MALLET does and the labels of TEST, a line a sentence; prints JSON: the objective
// (loss + |w|^2 / (2 VARIANCE)) and the seconds of processor time of the whole virtual machine, since
// the data were read, after each iteration; also whether it ended by itself, and its peak memory.
import cc.mallet.fst.CRF;
import cc.mallet.fst.CRFOptimizableByLabelLikelihood;
import cc.mallet.fst.Transducer;
import cc.mallet.optimize.LimitedMemoryBFGS;
import cc.mallet.optimize.Optimizable;
import cc.mallet.optimize.OptimizationException;
import cc.mallet.types.Alphabet;
import cc.mallet.types.FeatureSelection;
import cc.mallet.types.FeatureVector;
import cc.mallet.types.FeatureVectorSequence;
import cc.mallet.types.Instance;
import cc.mallet.types.InstanceList;
import cc.mallet.types.LabelAlphabet;
import cc.mallet.types.LabelSequence;
import cc.mallet.types.Sequence;
import com.sun.management.OperatingSystemMXBean;
import java.io.BufferedReader;
import java.io.File;
import java.io.PrintWriter;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.logging.LogManager;

public class MalletCrf {
  static double cpuSeconds() {
    return 1e-9 * ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
        .getProcessCpuTime();
  }

  static FeatureVector attributes(String[] fields, Alphabet alphabet) {
    int[] known = Arrays.stream(fields, 1, fields.length)
        .mapToInt(name -> alphabet.lookupIndex(name, !alphabet.growthStopped()))
        .filter(index -> index >= 0).sorted().distinct().toArray();
    return new FeatureVector(alphabet, known);
  }

  static InstanceList read(String path, Alphabet alphabet, LabelAlphabet labels) throws Exception {
    InstanceList sentences = new InstanceList(alphabet, labels);
    List<FeatureVector> tokens = new ArrayList<>();
    List<Integer> answers = new ArrayList<>();
    try (BufferedReader lines = Files.newBufferedReader(Path.of(path))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        if (line.isEmpty()) {
          sentences.add(new Instance(
              new FeatureVectorSequence(tokens.toArray(new FeatureVector[0])),
              new LabelSequence(labels, answers.stream().mapToInt(i -> i).toArray()), null, null));
          tokens.clear();
          answers.clear();
          continue;
        }
        String[] fields = line.split("\t");
        tokens.add(attributes(fields, alphabet));
        answers.add(Math.max(0, labels.lookupIndex(fields[0], !labels.growthStopped())));
      }
    }
    return sentences;
  }

  static boolean[][] seenPairs(InstanceList sentences, int numLabels) {
    boolean[][] seen = new boolean[numLabels][numLabels];
    for (Instance sentence : sentences) {
      LabelSequence labels = (LabelSequence) sentence.getTarget();
      for (int t = 1; t < labels.size(); t++) {
        seen[labels.getIndexAtPosition(t - 1)][labels.getIndexAtPosition(t)] = true;
      }
    }
    return seen;
  }

  /**
   * As addFullyConnectedStatesForThreeQuarterLabels, but only pairs that were seen have a weight, and
   * a sentence begins in a state of its own: in MALLET a label is said on the way to its state.
   */
  static CRF model(InstanceList sentences, Alphabet alphabet, LabelAlphabet labels) {
    int size = labels.size();
    String[] names = new String[size];
    for (int i = 0; i < size; i++) names[i] = labels.lookupObject(i).toString();
    boolean[][] seen = seenPairs(sentences, size);
    CRF crf = new CRF(alphabet, labels);
    for (int i = 0; i < size; i++) {
      String[][] weights = new String[size][];
      for (int j = 0; j < size; j++) {
        String pair = names[i] + "->" + names[j];
        weights[j] = seen[i][j] ? new String[] {names[j], pair} : new String[] {names[j]};
      }
      crf.addState(names[i], Transducer.IMPOSSIBLE_WEIGHT, 0, names, names, weights);
      for (int j = 0; j < size; j++) {
        if (seen[i][j]) {
          crf.setFeatureSelection(
              crf.getWeightsIndex(weights[j][1]), new FeatureSelection(alphabet));
        }
      }
    }
    String[][] first = new String[size][];
    for (int j = 0; j < size; j++) first[j] = new String[] {names[j]};
    crf.addState("<START>", 0, 0, names, names, first);
    crf.setWeightsDimensionAsIn(sentences, false);
    return crf;
  }

  /** The likelihood with what CRFsuite has no parameter for held where it is, at zero. */
  static class SameModel implements Optimizable.ByGradientValue {
    private final CRFOptimizableByLabelLikelihood likelihood;
    private final int[] held;

    SameModel(CRF crf, InstanceList sentences, double variance) {
      likelihood = new CRFOptimizableByLabelLikelihood(crf, sentences);
      likelihood.setGaussianPriorVariance(variance);
      held = heldParameters(crf);
    }

    /** MALLET's order: first and last weight of each state; of each set, its bias and then the rest. */
    private static int[] heldParameters(CRF crf) {
      List<Integer> indices = new ArrayList<>();
      int next = 0;
      while (next < 2 * crf.numStates()) indices.add(next++);
      for (int set = 0; set < crf.getWeights().length; set++) {
        if (crf.getOutputAlphabet().contains(crf.getWeightsName(set))) indices.add(next);
        next += 1 + crf.getWeights(set).numLocations();
      }
      return indices.stream().mapToInt(i -> i).toArray();
    }

    int numFree() { return getNumParameters() - held.length; }

    public int getNumParameters() { return likelihood.getNumParameters(); }

    public void getParameters(double[] values) { likelihood.getParameters(values); }

    public double getParameter(int index) { return likelihood.getParameter(index); }

    public void setParameters(double[] values) { likelihood.setParameters(values); }

    public void setParameter(int index, double value) { likelihood.setParameter(index, value); }

    public double getValue() { return likelihood.getValue(); }

    public void getValueGradient(double[] gradient) {
      likelihood.getValueGradient(gradient);
      for (int index : held) gradient[index] = 0;
    }
  }

  static void writeLabels(CRF crf, InstanceList sentences, String path) throws Exception {
    try (PrintWriter out = new PrintWriter(path, "UTF-8")) {
      for (Instance sentence : sentences) {
        Sequence labels = crf.transduce((Sequence) sentence.getData());
        for (int t = 0; t < labels.size(); t++) out.print((t == 0 ? "" : "\t") + labels.get(t));
        out.println();
      }
    }
  }

  static long peakBytes() throws Exception {
    for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
      if (line.startsWith("VmHWM:")) return 1024 * Long.parseLong(line.replaceAll("\\D", ""));
    }
    return 0;
  }

  public static void main(String[] arguments) throws Exception {
    System.setProperty("java.util.logging.config.file", "/dev/null");  // what MALLET asks for
    LogManager.getLogManager().reset();
    double variance = Double.parseDouble(arguments[2]), seconds = Double.parseDouble(arguments[3]);
    Alphabet alphabet = new Alphabet();
    LabelAlphabet labels = new LabelAlphabet();
    InstanceList train = read(arguments[0], alphabet, labels);
    alphabet.stopGrowth();
    labels.stopGrowth();
    double start = cpuSeconds();
    CRF crf = model(train, alphabet, labels);
    SameModel objective = new SameModel(crf, train, variance);
    LimitedMemoryBFGS optimiser = new LimitedMemoryBFGS(objective);
    optimiser.setTolerance(1e-7);
    List<String> trace = new ArrayList<>();
    boolean converged = false;
    for (int i = 1; !converged && cpuSeconds() - start < seconds; i++) {
      try {
        converged = optimiser.optimize(1);
      } catch (OptimizationException exception) {  // its line search finds no better point
        converged = true;
      }
      double loss = -objective.getValue();
      trace.add(String.format(Locale.ROOT, "{\"iteration\": %d, \"cpu\": %.2f, \"loss\": %.4f}", i,
          cpuSeconds() - start, loss));
    }
    long peak = peakBytes();
    crf.write(new File(arguments[4]));
    writeLabels(crf, read(arguments[1], alphabet, labels), arguments[5]);
    System.out.printf("{\"num_features\": %d, \"converged\": %b, \"peak_bytes\": %d, \"trace\": %s}%n",
        objective.numFree(), converged, peak, trace);
  }
}
